/* Battlesnake by the standard rules, the yardstick of battlesnake.py: the same turn, the same food and the same
   generator, nothing configurable, four snakes on 11x11. Cells are numbered as in state.py. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SNAKES = 4, RING = 128, STRIDE = 16, SIDE = 11, CELLS = 13 * STRIDE, FOODS = 128, TRIES = 16, MAX_TURNS = 5000 };
enum { ALIVE, BODY, SELF, STARVED, HEAD, WALL, HAZARD, NOBODY = -1 };

typedef struct { uint32_t word[4]; } Dice;

typedef struct {
    uint8_t body[SNAKES][RING];
    uint8_t occupied[CELLS], food_at[CELLS], hazards[CELLS], food[FOODS];
    int32_t front[SNAKES], length[SNAKES], health[SNAKES], cause[SNAKES], killer[SNAKES], died_on[SNAKES];
    int32_t snakes, living, foods, turn, damage, food_chance, minimum_food;
} State;

static inline uint32_t roll(Dice *d, uint32_t sides) {
    uint32_t t = d->word[0] ^ (d->word[0] << 11);
    d->word[0] = d->word[1];
    d->word[1] = d->word[2];
    d->word[2] = d->word[3];
    d->word[3] = d->word[3] ^ (d->word[3] >> 19) ^ t ^ (t >> 8);
    return (uint32_t)(((uint64_t)d->word[3] * sides) >> 32);
}

static inline int segment(const State *s, int i, int place) { return s->body[i][(s->front[i] + place) & (RING - 1)]; }
static inline int head(const State *s, int i) { return s->body[i][s->front[i]]; }
static inline int tail(const State *s, int i) { return segment(s, i, s->length[i] - 1); }
static inline int alive(const State *s, int i) { return s->cause[i] == ALIVE; }
static inline int over(const State *s) { return s->living <= (s->snakes > 1) || s->turn >= MAX_TURNS; }

static inline int on_board(int cell) {
    int x = (cell & (STRIDE - 1)) - 1, y = cell / STRIDE - 1;
    return x >= 0 && x < SIDE && y >= 0 && y < SIDE;
}

static void die(State *s, int i, int cause, int killer) {
    s->cause[i] = cause;
    s->killer[i] = killer;
    s->died_on[i] = s->turn + 1;
    s->living--;
    for (int place = 0; place < s->length[i]; place++) s->occupied[segment(s, i, place)]--;
}

static int body_on(const State *s, int i, int cell) {
    for (int place = 1; place < s->length[i]; place++)
        if (segment(s, i, place) == cell) return 1;
    return 0;
}

static int collision(const State *s, int i, int *killer) {
    int cell = head(s, i), found = NOBODY;
    *killer = i;
    if (body_on(s, i, cell)) return SELF;
    for (int j = 0; j < s->snakes; j++)
        if (j != i && alive(s, j) && body_on(s, j, cell) && (found == NOBODY || s->length[j] > s->length[found])) found = j;
    *killer = found;
    if (found != NOBODY) return BODY;
    for (int j = 0; j < s->snakes; j++)
        if (j != i && alive(s, j) && head(s, j) == cell && s->length[j] >= s->length[i] &&
            (found == NOBODY || s->length[j] > s->length[found]))
            found = j;
    *killer = found;
    return found == NOBODY ? ALIVE : HEAD;
}

static void clear_plates(State *s) {
    int left = 0;
    for (int k = 0; k < s->foods; k++) {
        int cell = s->food[k], eaten = 0;
        for (int i = 0; i < s->snakes; i++) eaten |= alive(s, i) && head(s, i) == cell;
        if (eaten) s->food_at[cell] = 0;
        else s->food[left++] = cell;
    }
    s->foods = left;
}

static const int STEP[4] = {STRIDE, -STRIDE, -1, 1};

static inline void play_turn(State *s, int moves) {
    if (over(s)) return;
    int eaten = 0;
    for (int i = 0; i < s->snakes; i++) {
        if (!alive(s, i)) continue;
        int cell = head(s, i) + STEP[moves >> 4 * i & 15];
        s->occupied[tail(s, i)]--;
        s->front[i] = (s->front[i] - 1) & (RING - 1);
        s->body[i][s->front[i]] = cell;
        s->occupied[cell]++;
        s->health[i]--;
        if (s->hazards[cell] && !s->food_at[cell]) {
            int health = s->health[i] - s->hazards[cell] * s->damage;
            s->health[i] = health < 0 ? 0 : health > 100 ? 100 : health;
            if (s->health[i] == 0) {
                die(s, i, HAZARD, NOBODY);
                continue;
            }
        }
        for (int helpings = s->food_at[cell]; helpings > 0; helpings--) {
            eaten = 1;
            s->health[i] = 100;
            if (s->length[i] < RING) {
                int end = tail(s, i);
                s->body[i][(s->front[i] + s->length[i]++) & (RING - 1)] = end;
                s->occupied[end]++;
            }
        }
    }
    if (eaten) clear_plates(s);
    for (int i = 0; i < s->snakes; i++) {
        if (!alive(s, i)) continue;
        if (s->health[i] <= 0) die(s, i, STARVED, NOBODY);
        else if (!on_board(head(s, i))) die(s, i, WALL, NOBODY);
    }
    int cause[SNAKES] = {0}, killer[SNAKES], any = 0;
    for (int i = 0; i < s->snakes; i++)
        if (alive(s, i) && s->occupied[head(s, i)] > 1) any |= cause[i] = collision(s, i, &killer[i]);
    if (any)
        for (int i = 0; i < s->snakes; i++)
            if (cause[i]) die(s, i, cause[i], killer[i]);
    s->turn++;
}

static int fertile(const State *s, int cell) {
    if (s->food_at[cell] || s->occupied[cell]) return 0;
    for (int i = 0; i < s->snakes; i++) {
        int away = abs(head(s, i) - cell);
        if (alive(s, i) && (away == 1 || away == STRIDE)) return 0;
    }
    return 1;
}

static int fertile_cell(const State *s, Dice *d) {
    for (int k = 0; k < TRIES; k++) {
        int x = roll(d, SIDE), cell = (roll(d, SIDE) + 1) * STRIDE + x + 1;
        if (fertile(s, cell)) return cell;
    }
    int chosen = 0, found = 0;
    for (int x = 0; x < SIDE; x++)
        for (int y = 0; y < SIDE; y++) {
            int cell = (y + 1) * STRIDE + x + 1;
            if (fertile(s, cell) && roll(d, ++found) == 0) chosen = cell;
        }
    return chosen;
}

static void grow_food(State *s, Dice *d) {
    int missing = s->minimum_food - s->foods;
    if (missing <= 0) missing = 100 - (int)roll(d, 100) < s->food_chance;
    for (; missing > 0; missing--) {
        int cell = fertile_cell(s, d);
        if (cell && s->foods < FOODS) {
            s->food[s->foods++] = cell;
            s->food_at[cell]++;
        }
    }
}

static int tail_on(const State *s, int cell) {
    for (int i = 0; i < s->snakes; i++)
        if (alive(s, i) && tail(s, i) == cell) return 1;
    return 0;
}

static int safe_moves(const State *s, int i) {
    int here = head(s, i), neck = s->length[i] > 2 ? segment(s, i, 1) : 0, free = 0, single = 0;
    for (int move = 0; move < 4; move++) {
        int cell = here + STEP[move], segments = on_board(cell) ? s->occupied[cell] : 100;
        free |= (segments == 0) << move;
        single |= (segments == 1 && cell != neck) << move;
    }
    for (int move = 0; single >> move; move++)
        if (single >> move & 1 && tail_on(s, here + STEP[move])) free |= 1 << move;
    return free;
}

static int choose(const State *s, Dice *d) {
    int chosen = 0;
    for (int i = 0; i < s->snakes; i++) {
        if (!alive(s, i)) continue;
        int moves = safe_moves(s, i);
        if (!moves) moves = 15;
        for (int k = roll(d, __builtin_popcount(moves)); k > 0; k--) moves &= moves - 1;
        chosen |= __builtin_ctz(moves) << 4 * i;
    }
    return chosen;
}

static void open_game(State *s, int snakes, const int64_t *heads, const int64_t *food, int64_t foods) {
    memset(s, 0, sizeof *s);
    s->snakes = s->living = snakes;
    s->damage = 14, s->food_chance = 15, s->minimum_food = 1;
    for (int i = 0; i < snakes; i++) {
        s->length[i] = 3, s->health[i] = 100, s->killer[i] = NOBODY;
        for (int k = 0; k < 3; k++) s->body[i][k] = heads[i];
        s->occupied[heads[i]] = 3;
    }
    for (int k = 0; k < foods; k++) {
        s->food[s->foods++] = food[k];
        s->food_at[food[k]]++;
    }
}

static int64_t mark(const State *s) {
    int64_t mark = s->turn + 3 * s->foods + 5 * s->living;
    for (int i = 0; i < s->snakes; i++)
        mark = mark * 31 + head(s, i) + 7 * s->length[i] + 11 * s->health[i] + 13 * s->cause[i] + 17 * s->killer[i];
    return mark;
}

static State corpus[4096];
static int64_t moves[4096];

/* Random-safe games; their first positions are kept, and a mark of every end is written down. */
int64_t play_games(int64_t games, int64_t snakes, const int64_t *heads, const int64_t *food, int64_t foods, int64_t kept,
                   Dice *d, int64_t *marks) {
    int64_t turns = 0;
    for (int64_t game = 0; game < games; game++) {
        State s;
        open_game(&s, snakes, heads + game * snakes, food + game * foods, foods);
        while (!over(&s)) {
            int chosen = choose(&s, d);
            if (turns < kept) {
                corpus[turns] = s;
                moves[turns] = chosen;
            }
            turns++;
            play_turn(&s, chosen);
            grow_food(&s, d);
        }
        marks[game] = mark(&s);
    }
    return turns;
}

/* One turn from each of the positions that were kept, again and again. */
int64_t play_turns(int64_t kept, int64_t rounds, int64_t *marks) {
    State s;
    for (int64_t round = 0; round < rounds; round++)
        for (int64_t k = 0; k < kept; k++) {
            s = corpus[k];
            play_turn(&s, moves[k]);
            marks[k] = mark(&s);
        }
    return kept * rounds;
}
