/* One renewal of win chances, as src/sparring/games/ludo/solver/table.py does it for best play by both. */
#include <math.h>
#include <stdint.h>

static double worth(int32_t code, const double *chances) {
    return code & 1 ? chances[code >> 1] : 1.0 - chances[code >> 1];
}

double renew(const int32_t *positions, int64_t count, const int32_t *codes, double *chances) {
    double most = 0.0;
    for (int64_t i = 0; i < count; i++) {
        const int32_t *follows = codes + 12 * (int64_t)positions[i];
        double chance = 0.0;
        for (int die = 0; die < 6; die++)
            chance += fmax(worth(follows[2 * die], chances), worth(follows[2 * die + 1], chances));
        chance /= 6;
        most = fmax(most, fabs(chance - chances[positions[i]]));
        chances[positions[i]] = chance;
    }
    return most;
}
