/* The same iterative-deepening alpha-beta as search/alphabeta.py, by recursion, as one would write it in C:
   the reference that the compiled Python is measured against. Scores and node counts must be equal. */
#include <stdint.h>

#define WIN 1000000.0
#define PROVEN (WIN - 1000.0)
#define INFINITE (2 * WIN)
#define COUNT __builtin_popcountll
#define LOWEST __builtin_ctzll

typedef struct { int64_t blocked, at[2], to_move; } State;
typedef double (*Heuristic)(const State *, int);

static int rows, columns;
static int64_t cells, steps[64], left1, left2, right1, right2;
static int64_t nodes;
static int line[64], line_length, lines[64][64], lengths[64], following;

void set_board(int r, int c) {
    static const int jumps[8][2] = {{-2, -1}, {-2, 1}, {-1, -2}, {-1, 2}, {1, -2}, {1, 2}, {2, -1}, {2, 1}};
    rows = r, columns = c, cells = ((int64_t)1 << r * c) - 1;
    left1 = left2 = right1 = right2 = 0;
    for (int cell = 0; cell < r * c; cell++) {
        int row = cell / c, column = cell % c;
        steps[cell] = 0;
        for (int k = 0; k < 8; k++) {
            int y = row + jumps[k][0], x = column + jumps[k][1];
            if (y >= 0 && y < r && x >= 0 && x < c) steps[cell] |= (int64_t)1 << (y * c + x);
        }
        if (column >= 1) left1 |= (int64_t)1 << cell;
        if (column >= 2) left2 |= (int64_t)1 << cell;
        if (column < c - 1) right1 |= (int64_t)1 << cell;
        if (column < c - 2) right2 |= (int64_t)1 << cell;
    }
    steps[63] = cells;
}

static inline int64_t exits(const State *s, int player) { return steps[s->at[player]] & ~s->blocked; }

double improved(const State *s, int me) { return COUNT(exits(s, me)) - COUNT(exits(s, 1 - me)); }

static inline int64_t spread(const State *s, int64_t from) {
    int64_t near = (from & left1) >> 1 | (from & right1) << 1, far = (from & left2) >> 2 | (from & right2) << 2;
    return (near << 2 * columns | near >> 2 * columns | far << columns | far >> columns) & cells & ~s->blocked;
}

double voronoi(const State *s, int me) {
    int first = s->to_move;
    int64_t mine = 0, yours = 0, open = cells & ~s->blocked, a = exits(s, first), b = exits(s, 1 - first);
    while (a | b) {
        mine |= a, open &= ~a, b &= open;
        yours |= b, open &= ~b;
        a = spread(s, a) & open, b = spread(s, b) & open;
    }
    double territory = COUNT(mine) - COUNT(yours);
    return first == me ? territory : -territory;
}

/* One search with the heuristic inlined, one that calls it through a pointer. */
#define SEARCH(NAME, EVALUATE)                                                                                   \
    static double NAME(const State *s, int ply, int depth, double alpha, double beta, int me, Heuristic plugged) { \
        nodes++;                                                                                                 \
        lengths[ply] = 0;                                                                                        \
        int64_t moves = exits(s, s->to_move);                                                                    \
        if (!moves) return -(WIN - ply);                                                                         \
        if (ply == depth) return s->to_move == me ? EVALUATE(s, me) : -EVALUATE(s, me);                          \
        double best = -INFINITE;                                                                                 \
        while (moves) {                                                                                          \
            int cell = following && ply < line_length ? line[ply] : (int)LOWEST(moves);                          \
            moves &= ~((int64_t)1 << cell);                                                                      \
            State next = *s;                                                                                     \
            next.blocked |= (int64_t)1 << cell;                                                                  \
            next.at[s->to_move] = cell;                                                                          \
            next.to_move = 1 - s->to_move;                                                                       \
            double value = -NAME(&next, ply + 1, depth, -beta, -alpha, me, plugged);                             \
            following = 0;                                                                                       \
            if (value > best) {                                                                                  \
                best = value;                                                                                    \
                if (value > alpha) {                                                                             \
                    alpha = value;                                                                               \
                    if (value >= beta) return best;                                                              \
                    lines[ply][0] = cell;                                                                        \
                    for (int i = 0; i < lengths[ply + 1]; i++) lines[ply][i + 1] = lines[ply + 1][i];            \
                    lengths[ply] = lengths[ply + 1] + 1;                                                         \
                }                                                                                                \
            }                                                                                                    \
        }                                                                                                        \
        return best;                                                                                             \
    }

SEARCH(inlined_improved, improved)
SEARCH(inlined_voronoi, voronoi)
SEARCH(through_pointer, plugged)

double deepen(const State *s, int max_depth, const char *heuristic, int pointer, int64_t *visited) {
    double value = 0;
    nodes = line_length = 0;
    for (int depth = 1; depth <= max_depth; depth++) {
        following = depth > 1;
        if (pointer)
            value = through_pointer(s, 0, depth, -INFINITE, INFINITE, s->to_move, *heuristic == 'i' ? improved : voronoi);
        else if (*heuristic == 'i')
            value = inlined_improved(s, 0, depth, -INFINITE, INFINITE, s->to_move, 0);
        else
            value = inlined_voronoi(s, 0, depth, -INFINITE, INFINITE, s->to_move, 0);
        line_length = lengths[0];
        for (int i = 0; i < line_length; i++) line[i] = lines[0][i];
        if (value > PROVEN || value < -PROVEN) break;
    }
    *visited = nodes;
    return value;
}
