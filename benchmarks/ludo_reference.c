/* Random games of Ludo by the standard rules, the yardstick of ludo.py: the same rules and the same generator, nothing
   configurable, four players with four tokens. Tiles are numbered as in state.py. */

#include <stdint.h>
#include <string.h>

enum { PLAYERS = 4, TOKENS = 4, HOME = 0, START = 1, TURN_OFF = 51, GOAL = 57, RING = 52, QUARTER = 13 };

typedef struct { uint32_t word[4]; } Dice;

typedef struct {
    int8_t at[PLAYERS][TOKENS];
    int mover, die, winner;
} State;

static const uint64_t STARS = 1ull << 5 | 1ull << 12 | 1ull << 18 | 1ull << 25 | 1ull << 31 | 1ull << 38 | 1ull << 44 | 1ull << 51;
static const uint64_t GLOBES = 1ull << 9 | 1ull << 22 | 1ull << 35 | 1ull << 48;

static inline uint32_t roll(Dice *d, uint32_t sides) {
    uint32_t t = d->word[0] ^ (d->word[0] << 11);
    d->word[0] = d->word[1];
    d->word[1] = d->word[2];
    d->word[2] = d->word[3];
    d->word[3] = d->word[3] ^ (d->word[3] >> 19) ^ t ^ (t >> 8);
    return (uint32_t)(((uint64_t)d->word[3] * sides) >> 32);
}

static void seed_dice(Dice *d, uint64_t seed, uint32_t stream) {
    uint32_t parts[3] = {(uint32_t)seed, (uint32_t)(seed >> 32), stream};
    for (uint32_t place = 0; place < 4; place++) {
        uint32_t x = 0x9E3779B9u * place;
        for (int part = 0; part < 3; part++) {
            x += parts[part];
            x = (x ^ (x >> 16)) * 0x21F0AAADu;
            x = (x ^ (x >> 15)) * 0x735A2D97u;
            x ^= x >> 15;
        }
        d->word[place] = x;
    }
    d->word[3] |= 1;
}

static inline unsigned legal(const State *s) {
    unsigned moves = 0;
    for (int token = 0; token < TOKENS; token++) {
        int here = s->at[s->mover][token];
        moves |= (unsigned)(here == HOME ? s->die == 6 : here != GOAL) << token;
    }
    return moves;
}

static inline int arrive(State *s, int token, int tile) {
    for (int other = 0; other < PLAYERS; other++) {
        if (other == s->mover) continue;
        int own = tile + QUARTER * (s->mover - other);
        own += own < 1 ? RING : own > RING ? -RING : 0;
        if (own > TURN_OFF) continue;
        int count = 0;
        for (int theirs = 0; theirs < TOKENS; theirs++) count += s->at[other][theirs] == own;
        if (count == 0) continue;
        if ((GLOBES >> tile & 1) || own == START || (count >= 2 && tile != START)) {
            s->at[s->mover][token] = HOME;
            return 0;
        }
        for (int theirs = 0; theirs < TOKENS; theirs++)
            if (s->at[other][theirs] == own) s->at[other][theirs] = HOME;
    }
    s->at[s->mover][token] = (int8_t)tile;
    return 1;
}

static inline void move_token(State *s, int token) {
    int here = s->at[s->mover][token];
    int tile = here == HOME ? START : here + s->die;
    if (tile > TURN_OFF)
        s->at[s->mover][token] = (int8_t)(tile <= GOAL ? tile : 2 * GOAL - tile);
    else if (STARS >> tile & 1) {
        if (arrive(s, token, tile)) {
            if (tile == TURN_OFF) s->at[s->mover][token] = GOAL;
            else arrive(s, token, tile + (tile % QUARTER == 5 ? 7 : 6));
        }
    } else
        arrive(s, token, tile);
    int finished = 1;
    for (int own = 0; own < TOKENS; own++) finished &= s->at[s->mover][own] == GOAL;
    if (finished) s->winner = s->mover;
    else if (s->die != 6) s->mover = (s->mover + 1) % PLAYERS;
}

static inline unsigned roll_on(State *s, Dice *dice, int64_t *rolls) {
    for (;;) {
        s->die = 1 + (int)roll(dice, 6);
        ++*rolls;
        unsigned moves = legal(s);
        if (moves) return moves;
        if (s->die != 6) s->mover = (s->mover + 1) % PLAYERS;
    }
}

/* Plays games from consecutive seeds: who wins each, in how many moves, and where the tokens are in the end. */
int64_t play_games(int64_t seed, int64_t games, int64_t *winners, int64_t *moves, int8_t *ends) {
    int64_t rolls = 0;
    for (int64_t game = 0; game < games; game++) {
        State s = {.winner = -1};
        Dice dice, choice;
        seed_dice(&dice, (uint64_t)(seed + game), 0);
        seed_dice(&choice, (uint64_t)(seed + game), 1);
        moves[game] = 0;
        while (s.winner < 0) {
            unsigned tokens = roll_on(&s, &dice, &rolls);
            for (uint32_t skipped = roll(&choice, (uint32_t)__builtin_popcount(tokens)); skipped; skipped--)
                tokens &= tokens - 1;
            move_token(&s, __builtin_ctz(tokens));
            moves[game]++;
        }
        winners[game] = s.winner;
        memcpy(ends + game * sizeof s.at, s.at, sizeof s.at);
    }
    return rolls;
}
