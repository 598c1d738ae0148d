/* The solver of knight Isolation by hand in C: the yardstick for the compiled Python one, node for node. */

#include <stdint.h>

typedef uint64_t Set;

enum { MIRROR_EMPTIES = 36, DEAD_END = 1 << 10, NO_MOVE = 1 << 30 };

static Set steps[64];
static int cells;
static int64_t nodes;

void set_board(int rows, int columns)
{
    static const int jumps[8][2] = {{-2, -1}, {-2, 1}, {-1, -2}, {-1, 2}, {1, -2}, {1, 2}, {2, -1}, {2, 1}};
    cells = rows * columns;
    for (int cell = 0; cell < cells; cell++) {
        steps[cell] = 0;
        for (int i = 0; i < 8; i++) {
            int row = cell / columns + jumps[i][0], column = cell % columns + jumps[i][1];
            if (row >= 0 && row < rows && column >= 0 && column < columns)
                steps[cell] |= (Set)1 << (row * columns + column);
        }
    }
}

static int mirrored(Set blocked)
{
    if (cells - __builtin_popcountll(blocked) < MIRROR_EMPTIES)
        return 0;
    for (int cell = 0; cell < cells / 2; cell++)
        if ((blocked >> cell ^ blocked >> (cells - 1 - cell)) & 1)
            return 0;
    return cells % 2 == 0 || (blocked >> cells / 2 & 1);
}

static int wins(Set blocked, int me, int you)
{
    nodes++;
    Set mine = steps[me] & ~blocked, yours = steps[you] & ~blocked;
    if (!mine)
        return 0;
    if (!(yours & (yours - 1)) && (!yours || yours & mine))
        return 1;
    if (me + you == cells - 1 && mirrored(blocked))
        return 0;

    int moves[8], count = 0, move = NO_MOVE;
    for (; mine; mine &= mine - 1) {
        int cell = __builtin_ctzll(mine);
        int own = __builtin_popcountll(steps[cell] & ~blocked);
        int left = __builtin_popcountll(yours & ~((Set)1 << cell));
        int ranked = (3 * left - 2 * own + (own ? 0 : DEAD_END)) * 64 + cell;
        moves[count++] = ranked;
        if (ranked < move)
            move = ranked;
    }
    while (move != NO_MOVE) {
        int cell = move & 63;
        if (!wins(blocked | (Set)1 << cell, you, cell))
            return 1;
        int following = NO_MOVE; /* faster than sorting, as the first move mostly decides */
        for (int i = 0; i < count; i++)
            if (moves[i] > move && moves[i] < following)
                following = moves[i];
        move = following;
    }
    return 0;
}

/* Whether the first player, who is to move, wins an opening; the nodes visited are added to `visited`. */
int first_wins(int first, int second, int64_t *visited)
{
    nodes = 0;
    int won = wins((Set)1 << first | (Set)1 << second, first, second);
    *visited += nodes;
    return won;
}
