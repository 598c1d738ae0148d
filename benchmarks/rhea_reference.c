/* RHEA for two snakes on 11x11, the yardstick of rhea.py: the same plans, bred and tried in the same order with the same
   dice, against a rival who moves by the policy smart. The turns are those of battlesnake_reference.c. */

#include "battlesnake_reference.c"

enum { PLANS = 50, STEPS = 20, TOURNAMENT = 3, CERTAIN = 1 << 20, MUTATION = 314573, ROW = 16 };

typedef uint64_t Rows[3];

static State root;
static uint8_t genes[2][PLANS][STEPS];
static double fitness[2][PLANS];

static int from_centre(int cell) { return abs((cell & 15) - 1 - SIDE / 2) + abs(cell / STRIDE - 1 - SIDE / 2); }

static int smart(const State *s, int i) {
    int here = head(s, i), chosen = 0, best = -1000000, urge = s->health[i] < 30 ? 50 : 10;
    for (int move = 0; move < 4; move++) {
        int cell = here + STEP[move];
        if (!on_board(cell)) continue;
        int value = -from_centre(cell);
        if (s->occupied[cell] && cell != tail(s, i)) value -= 1000;
        if (s->length[i] > 1 && cell == segment(s, i, 1)) value -= 1000;
        if (s->food_at[cell]) value += 5 * urge;
        else if (s->foods && from_centre(cell) < from_centre(here)) value += urge;
        if (value > best) chosen = move, best = value;
    }
    return chosen;
}

static inline void set(Rows rows, int cell) { rows[(cell - ROW) >> 6] |= 1ull << ((cell - ROW) & 63); }

static int left_behind(const State *s, int i, int step) {
    int place = s->length[i] - step;
    if (place <= 0) return 0;
    int cell = segment(s, i, place);
    return segment(s, i, place - 1) == cell ? 0 : cell;
}

static inline uint64_t spread(uint64_t low, uint64_t cells, uint64_t high) {
    return cells << 1 | cells >> 1 | cells << ROW | cells >> ROW | low >> 3 * ROW | high << 3 * ROW;
}

static int territory(const State *s, int me) {
    const uint64_t row = 2047 << 1, rows = row * 0x0001000100010001ull;
    Rows taken = {0}, own[2] = {{0}}, gain[2];
    Rows free = {rows, rows, row * 0x0000000100010001ull};
    int longest = 0;
    for (int i = 0; i < 2; i++) {
        for (int place = 0; place < s->length[i]; place++) set(taken, segment(s, i, place));
        set(own[i], head(s, i));
        if (s->length[i] > longest) longest = s->length[i];
    }
    for (int w = 0; w < 3; w++) free[w] &= ~taken[w];
    uint64_t yields[2] = {-(uint64_t)(s->length[0] <= s->length[1]), -(uint64_t)(s->length[1] <= s->length[0])}, gained = 1;
    for (int step = 1; gained || step <= longest; step++) {
        for (int i = 0; i < 2; i++) {
            int cell = left_behind(s, i, step);
            if (cell) set(free, cell);
        }
        gained = 0;
        for (int i = 0; i < 2; i++)
            for (int w = 0; w < 3; w++)
                gain[i][w] = spread(w ? own[i][w - 1] : 0, own[i][w], w < 2 ? own[i][w + 1] : 0) & free[w];
        for (int w = 0; w < 3; w++) {
            gained |= gain[0][w] | gain[1][w];
            free[w] &= ~(gain[0][w] | gain[1][w]);
            own[0][w] |= gain[0][w] & ~(gain[1][w] & yields[0]);
            own[1][w] |= gain[1][w] & ~(gain[0][w] & yields[1]);
        }
    }
    int cells[2] = {0};
    for (int i = 0; i < 2; i++)
        for (int w = 0; w < 3; w++) cells[i] += __builtin_popcountll(own[i][w]);
    return cells[me] - cells[!me];
}

static double worth(const State *s, int me, int written) {
    int lead = s->length[me] - (alive(s, !me) ? s->length[!me] : 0), centre = from_centre(head(s, me));
    double value = 10.0 * lead - centre + (s->living == 1 ? 500 : 0);
    if (!written) return value + s->health[me] / 2;
    return value + 0.5 * s->health[me] + (s->living > 1 ? 3.0 * territory(s, me) : 0);
}

static int64_t play_plan(const uint8_t *plan, int me, int written, double *total) {
    State s = root;
    double sum = 0;
    for (int step = 0; step < STEPS; step++) {
        play_turn(&s, plan[step] << 4 * me | smart(&s, !me) << 4 * !me);
        double value = alive(&s, me) ? worth(&s, me, written) : -1000;
        sum += value;
        if (!alive(&s, me) || over(&s)) {
            *total = sum + (STEPS - 1 - step) * value;
            return step + 1;
        }
    }
    *total = sum;
    return STEPS;
}

static int winner(int parents, Dice *d) {
    int best = roll(d, PLANS);
    for (int k = 1; k < TOURNAMENT; k++) {
        int other = roll(d, PLANS);
        if (fitness[parents][other] > fitness[parents][best]) best = other;
    }
    return best;
}

static void breed(int parents, int elite, int uniform, Dice *d) {
    int children = !parents;
    memcpy(genes[children][0], genes[parents][elite], STEPS);
    for (int place = 1; place < PLANS; place += 2) {
        int mother = winner(parents, d), father = winner(parents, d), point = roll(d, STEPS);
        for (int step = 0; step < STEPS; step++) {
            int first = genes[parents][mother][step], second = genes[parents][father][step];
            int swap = step >= point, swap_too = step >= point;
            if (uniform) swap = roll(d, 2), swap_too = roll(d, 2);
            genes[children][place][step] = swap ? second : first;
            if (place + 1 < PLANS) genes[children][place + 1][step] = swap_too ? first : second;
        }
    }
    for (int place = 1; place < PLANS; place++)
        for (int step = 0; step < STEPS; step++)
            if (roll(d, CERTAIN) < MUTATION) genes[children][place][step] = roll(d, 4);
}

/* Evolve plans for a position as both were given: a body is head first, cells are numbered as in state.py. */
int64_t evolve(const int64_t *lengths, const int64_t *health, const int64_t *bodies, int64_t foods, const int64_t *food,
               int64_t turn, int64_t me, int64_t written, int64_t generations, int64_t most_turns, Dice *d, double *found) {
    memset(&root, 0, sizeof root);
    root.snakes = root.living = 2, root.turn = turn;
    for (int i = 0; i < 2; i++) {
        root.length[i] = lengths[i], root.health[i] = health[i], root.killer[i] = NOBODY;
        for (int k = 0; k < lengths[i]; k++) root.occupied[root.body[i][k] = bodies[i * RING + k]]++;
    }
    for (int k = 0; k < foods; k++) root.food_at[root.food[root.foods++] = food[k]]++;
    int parents = 0, elite = 0;
    int64_t turns = 0;
    for (int place = 0; place < PLANS; place++)
        for (int step = 0; step < STEPS; step++) genes[!parents][place][step] = roll(d, 4);
    for (int64_t ranked = 0; ranked < generations; ranked++) {
        if (ranked) breed(parents, elite, !written, d);
        for (int place = 0; place < PLANS; place++) {
            if (turns + STEPS > most_turns) goto finished;
            turns += play_plan(genes[!parents][place], me, written, &fitness[!parents][place]);
        }
        parents = !parents;
        elite = 0;
        for (int place = 0; place < PLANS; place++)
            if (fitness[parents][place] > fitness[parents][elite]) elite = place;
    }
finished:
    found[0] = genes[parents][elite][0];
    found[1] = fitness[parents][elite];
    return turns;
}
