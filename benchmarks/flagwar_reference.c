/* Flag War by the recommended rules, the yardstick of flagwar.py: the same round without its record of events, nothing
   configurable, three pieces a side on 11x11. Cells are numbered as in state.py. */

#include <stdint.h>

enum { PIECES = 3, SIDE = 11, ROW = 32, NOBODY = -1, JAILED = -1, NOWHERE = -2, A = 0, B = 1, NEUTRAL = 2 };
enum { GOES_ON, FLAG_HOME, BOTH_HOME, NO_PIECES, ROUNDS_OVER, STALLED, TURN_LIMIT = 100, STALL_LIMIT = 20 };

typedef struct {
    int32_t at[2][PIECES], carrier[2], pending[2], rounds, idle, ending, winner, lost[2], freed[2];
} State;

static const int STEPS[4] = {ROW, -ROW, -1, 1};

static inline int own_row(int side, int cell) { return side == B ? cell / ROW : SIDE - 1 - cell / ROW; }
static inline int territory(int cell) { return cell / ROW >= SIDE - 5 ? A : cell / ROW < 5 ? B : NEUTRAL; }
static inline int start_cell(int side, int i) { return (side == B ? 2 : SIDE - 3) * ROW + 4 + i; }
static inline int flag_cell(int side) { return (side == B ? 0 : SIDE - 1) * ROW + 5; }
static inline int key_cell(int side) { return side == A ? ROW + SIDE - 2 : (SIDE - 2) * ROW + 1; }
static inline int on_board(int cell) { return cell >= 0 && cell < SIDE * ROW && (cell & (ROW - 1)) < SIDE; }
static inline int in_zone(int side, int cell) {
    int x = cell & (ROW - 1);
    return own_row(side, cell) < 2 && x >= 4 && x <= 6;
}

static void return_flag(State *s, int side) {
    s->carrier[1 - side] = NOBODY;
    for (int i = 0; i < PIECES; i++)
        if (s->at[side][i] != JAILED && in_zone(side, s->at[side][i])) s->at[side][i] = start_cell(side, i);
}

static int path_length(const State *s, int side, int i, int direction, int distance) {
    int kept_out = s->carrier[1 - side] == NOBODY && s->carrier[side] != i, length = 0;
    for (int cell = s->at[side][i] + STEPS[direction]; length < distance; cell += STEPS[direction], length++)
        if (!on_board(cell) || (kept_out && in_zone(side, cell))) break;
    return length;
}

static int living(const State *s, int side) {
    int count = 0;
    for (int i = 0; i < PIECES; i++) count += s->at[side][i] != JAILED;
    return count;
}

static void finish(State *s, int ending, int winner) {
    s->ending = ending;
    s->winner = winner;
}

/* Jails and stops all who were in contacts of one kind. */
static void judge(State *s, int came_from[2][PIECES], int *stopped, const int *doomed, const int *holding, int crossing) {
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < PIECES; i++) {
            if (doomed[side] >> i & 1) {
                s->at[side][i] = JAILED;
                s->lost[side]++;
            } else if (holding[side] >> i & 1) {
                if (crossing) s->at[side][i] = came_from[side][i];
                stopped[side] |= 1 << i;
            }
        }
}

static void contacts(State *s, int came_from[2][PIECES], int *stopped, int crossing) {
    int doomed[2] = {0, 0}, holding[2] = {0, 0}, found = 0;
    for (int i = 0; i < PIECES; i++)
        for (int j = 0; j < PIECES; j++) {
            int here = s->at[A][i], there = s->at[B][j];
            int met = crossing ? came_from[A][i] == there && came_from[B][j] == here : here == there && here != JAILED;
            if (!met) continue;
            int ground = territory(here) == territory(there) ? territory(here) : NEUTRAL;
            found = 1;
            if (ground == A) holding[A] |= 1 << i; else doomed[A] |= 1 << i;
            if (ground == B) holding[B] |= 1 << j; else doomed[B] |= 1 << j;
        }
    if (found) judge(s, came_from, stopped, doomed, holding, crossing);
}

static void walk(State *s, int planned[2][PIECES], int direction[2][PIECES]) {
    int came_from[2][PIECES], stopped[2] = {0, 0}, moved = 1;
    contacts(s, came_from, stopped, 0);
    for (int tick = 1; moved; tick++) {
        moved = 0;
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < PIECES; i++) {
                came_from[side][i] = NOWHERE;
                if (tick > planned[side][i] || s->at[side][i] == JAILED || stopped[side] >> i & 1) continue;
                came_from[side][i] = s->at[side][i];
                s->at[side][i] += STEPS[direction[side][i]];
                moved = 1;
            }
        if (!moved) break;
        contacts(s, came_from, stopped, 1);
        contacts(s, came_from, stopped, 0);
    }
}

static void score(State *s) {
    int scored = 0;
    for (int side = 0; side < 2; side++)
        if (s->carrier[side] != NOBODY && territory(s->at[side][s->carrier[side]]) == side) scored |= 1 << side;
    if (scored == 3) finish(s, BOTH_HOME, NOBODY);
    else if (scored) finish(s, FLAG_HOME, scored - 1);
}

static void use_key(State *s, int side) {
    if (living(s, side) == PIECES) return;
    for (int i = 0; i < PIECES; i++)
        if (s->at[side][i] == key_cell(side)) {
            for (int j = 0; j < PIECES; j++)
                if (s->at[side][j] == JAILED) {
                    s->at[side][j] = start_cell(side, j);
                    s->freed[side]++;
                }
            s->pending[side] = 1 << i;
            return;
        }
}

static void play_round(State *s, const int64_t *orders) {
    int planned[2][PIECES], direction[2][PIECES];
    if (s->ending) return;
    State before = *s;
    for (int side = 0; side < 2; side++) {
        s->lost[side] = s->freed[side] = 0;
        for (int i = 0; i < PIECES; i++)
            if (s->pending[side] >> i & 1) {
                if (s->carrier[side] == i) return_flag(s, 1 - side);
                s->at[side][i] = start_cell(side, i);
            }
        s->pending[side] = 0;
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < PIECES; i++) {
            int command = orders[side] >> 8 * i & 255;
            direction[side][i] = command >> 5;
            planned[side][i] = s->at[side][i] == JAILED ? 0 : path_length(s, side, i, command >> 5, command & 31);
        }
    walk(s, planned, direction);
    for (int side = 0; side < 2; side++)
        if (s->carrier[side] != NOBODY && s->at[side][s->carrier[side]] == JAILED) return_flag(s, 1 - side);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < PIECES && s->carrier[side] == NOBODY; i++)
            if (s->at[side][i] == flag_cell(1 - side)) s->carrier[side] = i;
    score(s);
    use_key(s, A);
    use_key(s, B);
    int of_a = living(s, A), of_b = living(s, B), changed = 0;
    if (!s->ending && (!of_a || !of_b)) finish(s, NO_PIECES, of_a ? A : of_b ? B : NOBODY);
    for (int side = 0; side < 2; side++) {
        changed |= s->carrier[side] != before.carrier[side];
        for (int i = 0; i < PIECES; i++) changed |= s->at[side][i] != before.at[side][i];
    }
    s->rounds++;
    s->idle = changed ? 0 : s->idle + 1;
    if (!s->ending && s->rounds >= TURN_LIMIT) finish(s, ROUNDS_OVER, NOBODY);
    else if (!s->ending && s->idle >= STALL_LIMIT) finish(s, STALLED, NOBODY);
}

/* As `mark` in flagwar.py. */
static int64_t mark(const State *s) {
    uint64_t found = s->rounds + 3 * s->idle + 5 * s->ending + 7 * s->winner;
    for (int side = 0; side < 2; side++) {
        int known = 11 * s->carrier[side] + 13 * s->pending[side] + 17 * s->lost[side] + 19 * s->freed[side];
        found = found * 31 + known;
        for (int i = 0; i < PIECES; i++) found = found * 31 + s->at[side][i];
    }
    return (int64_t)found;
}

/* Rounds from some positions, each played `rounds` times; `marks` tells where they led. */
int64_t play_rounds(const State *corpus, const int64_t *orders, int64_t length, int64_t rounds, int64_t *marks) {
    for (int64_t round = 0; round < rounds; round++)
        for (int64_t place = 0; place < length; place++) {
            State s = corpus[place];
            play_round(&s, orders + 2 * place);
            marks[place] = mark(&s);
        }
    return rounds * length;
}
