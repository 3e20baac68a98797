/* A bot that plays at random, in one file of C99: the smallest program that can enter a tournament.
 *
 * It speaks the engine protocol (docs/ugi.md) and knows the rules by itself.
 *
 *     cc -std=c99 -O2 -o random_bot random_bot.c
 *
 * To make a bot of your own, change choose().
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_PITS = 20, MAX_MOVES = 20, PASS = -1, MAX_SEEDS = 255 };

typedef struct {
    int pits[MAX_PITS]; /* in ring order; player 1 owns 0 ... width-1, player 0 the rest */
    int piles[2];
    int width;
    int player; /* to move */
} Position;

typedef struct {
    int pit; /* or PASS */
    int step; /* +1 is ccw, -1 is cw */
} Move;

/* A position and those before it, for repetition. */
typedef struct {
    Position position;
    Position *seen;
    size_t count, room;
    bool drawn;
} Game;

/* ---- rules ---- */

static int first_pit(const Position *p, int player)
{
    return player == 1 ? 0 : p->width;
}

static bool owns(const Position *p, int player, int pit)
{
    int first = first_pit(p, player);
    return pit >= first && pit < first + p->width;
}

static int list_moves(const Position *p, Move *moves)
{
    int count = 0, first = first_pit(p, p->player), other = first_pit(p, 1 - p->player);
    for (int pit = first; pit < first + p->width; pit++)
        if (p->pits[pit] >= 2) {
            moves[count++] = (Move){pit, 1};
            moves[count++] = (Move){pit, -1};
        }
    if (count == 0)
        for (int pit = other; pit < other + p->width; pit++)
            if (p->pits[pit] >= 2) {
                moves[count++] = (Move){PASS, 0};
                break;
            }
    return count;
}

/* The landing seed, all opposite it, and on along empty pits of the own row. */
static void capture(Position *p, int pit, int step)
{
    int taken = p->pits[pit];
    p->pits[pit] = 0;
    for (; owns(p, p->player, pit) && p->pits[pit] == 0; pit += step) {
        int opposite = 2 * p->width - 1 - pit;
        taken += p->pits[opposite];
        p->pits[opposite] = 0;
    }
    p->piles[p->player] += taken;
}

/* Plays a legal move; false when its relay is endless. */
static bool play(Position *p, Move move)
{
    if (move.pit == PASS) {
        p->player = 1 - p->player;
        return true;
    }
    const Position before = *p;
    int pit = move.pit, step = move.step, ring = 2 * p->width;
    bool entered = false;
    for (;;) {
        int seeds = p->pits[pit];
        p->pits[pit] = 0;
        for (; seeds > 0; seeds--) {
            pit = (pit + step + ring) % ring;
            p->pits[pit]++;
            entered = entered || !owns(p, p->player, pit);
        }
        if (p->pits[pit] == 1)
            break;
        step = -step; /* occupied: on from here, the other way */
        if (pit == move.pit && step == move.step && memcmp(p->pits, before.pits, sizeof p->pits) == 0)
            return false;
    }
    if (!owns(p, p->player, pit)) {
        p->player = 1 - p->player;
    } else if (entered) {
        capture(p, pit, step);
        p->player = 1 - p->player;
    }
    return true;
}

static Position start_position(int width, int seeds)
{
    Position p = {.width = width};
    for (int pit = 0; pit < 2 * width; pit++)
        p.pits[pit] = seeds;
    return p;
}

static bool same(const Position *a, const Position *b)
{
    return a->player == b->player && memcmp(a->pits, b->pits, sizeof a->pits) == 0 &&
           memcmp(a->piles, b->piles, sizeof a->piles) == 0;
}

static void *checked(void *memory)
{
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static void remember(Game *game)
{
    if (game->count == game->room) {
        game->room = game->room ? 2 * game->room : 64;
        game->seen = checked(realloc(game->seen, game->room * sizeof *game->seen));
    }
    game->seen[game->count++] = game->position;
}

static Game new_game(Position position)
{
    Game game = {.position = position};
    remember(&game);
    return game;
}

static bool over(const Game *game)
{
    Move moves[MAX_MOVES];
    return game->drawn || list_moves(&game->position, moves) == 0;
}

/* Plays a move if it is legal. */
static bool play_in(Game *game, Move move)
{
    Move moves[MAX_MOVES];
    int count = list_moves(&game->position, moves);
    bool legal = false;
    for (int i = 0; i < count; i++)
        legal = legal || (moves[i].pit == move.pit && moves[i].step == move.step);
    if (!legal || game->drawn)
        return false;
    game->drawn = !play(&game->position, move);
    for (size_t i = 0; i < game->count; i++)
        game->drawn = game->drawn || same(&game->seen[i], &game->position);
    remember(game);
    return true;
}

static const char *result(const Game *game)
{
    const Position *p = &game->position;
    int score[2];
    if (!over(game))
        return "none";
    if (game->drawn)
        return "draw";
    for (int player = 0; player < 2; player++) {
        int first = first_pit(p, player);
        score[player] = p->piles[player];
        for (int pit = first; pit < first + p->width; pit++)
            score[player] += p->pits[pit];
    }
    return score[0] > score[1] ? "p1win" : score[0] < score[1] ? "p2win" : "draw";
}

/* The move to play: here is where a better bot begins. */
static Move choose(const Game *game)
{
    Move moves[MAX_MOVES];
    int count = list_moves(&game->position, moves);
    return moves[rand() % count];
}

/* ---- text ---- */

static void print_move(Move move)
{
    if (move.pit == PASS)
        fputs("pass", stdout);
    else
        printf("%d%s", move.pit, move.step > 0 ? "ccw" : "cw");
}

/* A number of 0 to `most` at *text, which is moved behind it; -1 if there is none. */
static int number(const char **text, int most)
{
    int value = 0;
    if (**text < '0' || **text > '9')
        return -1;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        value = 10 * value + (**text - '0');
        if (value > most)
            return -1;
    }
    return value;
}

static bool parse_move(const char *text, Move *move)
{
    if (strcmp(text, "pass") == 0) {
        *move = (Move){PASS, 0};
        return true;
    }
    move->pit = number(&text, MAX_PITS - 1);
    move->step = strcmp(text, "ccw") == 0 ? 1 : -1;
    return move->pit >= 0 && (strcmp(text, "ccw") == 0 || strcmp(text, "cw") == 0);
}

/* A row of seeds into pits; the number of pits, or -1. */
static int parse_row(const char *text, int *pits)
{
    for (int count = 0; count < MAX_PITS / 2; text++) {
        if ((pits[count++] = number(&text, MAX_SEEDS)) < 0)
            return -1;
        if (*text == '\0')
            return count;
        if (*text != ',')
            return -1;
    }
    return -1;
}

static int parse_single(const char *text, int most)
{
    int value = number(&text, most);
    return *text == '\0' ? value : -1;
}

static bool parse_position(char **fields, Position *p)
{
    int north[MAX_PITS / 2], south[MAX_PITS / 2], seeds = 0;
    int width = parse_row(fields[0], north);
    if (width < 5 || parse_row(fields[1], south) != width)
        return false;
    *p = (Position){.width = width};
    memcpy(p->pits, north, (size_t)width * sizeof *north);
    memcpy(p->pits + width, south, (size_t)width * sizeof *south);
    p->piles[0] = parse_single(fields[2], MAX_SEEDS);
    p->piles[1] = parse_single(fields[3], MAX_SEEDS);
    p->player = parse_single(fields[4], 1);
    for (int pit = 0; pit < 2 * width; pit++)
        seeds += p->pits[pit];
    seeds += p->piles[0] + p->piles[1];
    return p->piles[0] >= 0 && p->piles[1] >= 0 && p->player >= 0 && seeds <= MAX_SEEDS;
}

static void print_position(const Position *p)
{
    for (int pit = 0; pit < 2 * p->width; pit++)
        printf("%d%s", p->pits[pit], (pit + 1) % p->width == 0 ? " " : ",");
    printf("%d %d %d", p->piles[0], p->piles[1], p->player);
}

/* ---- protocol ---- */

static int width = 8, seeds = 8;
static Game game;
static bool pending; /* a move that `go infinite` found is kept back until `stop` */
static Move pending_move;

static void replace_game(Game next)
{
    free(game.seen);
    game = next;
}

static bool set_variant(const char *text)
{
    int two = number(&text, 2), w, s;
    if (two != 2 || *text++ != 'x' || (w = number(&text, 10)) < 5 || *text++ != 'x')
        return false;
    if ((s = number(&text, 9)) < 1 || *text != '\0')
        return false;
    width = w;
    seeds = s;
    replace_game(new_game(start_position(width, seeds)));
    return true;
}

/* Sets up a game; the old one stays when something is wrong. */
static bool set_position(char **words, int count)
{
    Position start;
    int at;
    if (count >= 1 && strcmp(words[0], "startpos") == 0) {
        start = start_position(width, seeds);
        at = 1;
    } else if (count >= 6 && strcmp(words[0], "fen") == 0 && parse_position(words + 1, &start)) {
        at = 6;
    } else {
        return false;
    }
    if (at < count && strcmp(words[at++], "moves") != 0)
        return false;
    Game next = new_game(start);
    for (; at < count; at++) {
        Move move;
        if (!parse_move(words[at], &move) || !play_in(&next, move)) {
            free(next.seen);
            return false;
        }
    }
    replace_game(next);
    return true;
}

static void best(Move move)
{
    fputs("bestmove ", stdout);
    print_move(move);
    putchar('\n');
}

static void stop(void)
{
    if (pending)
        best(pending_move);
    pending = false;
}

/* Whatever the limits are: a random move is found within all of them. */
static void go(bool infinite)
{
    stop();
    if (over(&game)) {
        puts("bestmove none");
    } else if (infinite) {
        pending = true;
        pending_move = choose(&game);
    } else {
        best(choose(&game));
    }
}

static bool query(const char *question)
{
    if (strcmp(question, "gameover") == 0) {
        printf("response %s\n", over(&game) ? "true" : "false");
    } else if (strcmp(question, "p1turn") == 0) {
        printf("response %s\n", game.position.player == 0 ? "true" : "false");
    } else if (strcmp(question, "result") == 0) {
        printf("response %s\n", result(&game));
    } else if (strcmp(question, "legalmoves") == 0) {
        Move moves[MAX_MOVES];
        int count = over(&game) ? 0 : list_moves(&game.position, moves);
        fputs(count == 0 ? "response none" : "response", stdout);
        for (int i = 0; i < count; i++) {
            putchar(' ');
            print_move(moves[i]);
        }
        putchar('\n');
    } else if (strcmp(question, "position") == 0) {
        fputs("response ", stdout);
        print_position(&game.position);
        putchar('\n');
    } else {
        return false;
    }
    return true;
}

/* Follows one command; false if it is none. */
static bool obey(char **words, int count)
{
    const char *command = words[0];
    if (strcmp(command, "ugi") == 0) {
        puts("id name Random bot (C)\nid author The Giuthi developers");
        puts("option name variant type string default 2x8x8\nugiok");
    } else if (strcmp(command, "isready") == 0) {
        puts("readyok");
    } else if (strcmp(command, "setoption") == 0) {
        return count == 5 && strcmp(words[2], "variant") == 0 && set_variant(words[4]);
    } else if (strcmp(command, "uginewgame") == 0) {
        replace_game(new_game(start_position(width, seeds)));
    } else if (strcmp(command, "position") == 0) {
        return set_position(words + 1, count - 1);
    } else if (strcmp(command, "go") == 0) {
        go(count == 2 && strcmp(words[1], "infinite") == 0);
    } else if (strcmp(command, "stop") == 0) {
        stop();
    } else if (strcmp(command, "query") == 0) {
        return count == 2 && query(words[1]);
    } else {
        return false;
    }
    return true;
}

/* Reads a line of any length into *line; false at the end of the input. */
static bool read_line(char **line, size_t *room)
{
    size_t length = 0;
    int c;
    while ((c = getchar()) != EOF && c != '\n') {
        if (length + 1 >= *room) {
            *room = *room ? 2 * *room : 256;
            *line = checked(realloc(*line, *room));
        }
        (*line)[length++] = c == '\0' ? '?' : (char)c;
    }
    if (*line == NULL)
        *line = checked(malloc(*room = 256));
    (*line)[length] = '\0';
    return c != EOF || length > 0;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    srand((unsigned)time(NULL));
    game = new_game(start_position(width, seeds));
    while (read_line(&line, &room)) {
        /* A line has at most half as many words as characters. */
        char **words = checked(malloc((strlen(line) / 2 + 1) * sizeof *words));
        int count = 0;
        for (char *word = strtok(line, " \t\r"); word != NULL; word = strtok(NULL, " \t\r"))
            words[count++] = word;
        if (count == 1 && strcmp(words[0], "quit") == 0)
            return 0;
        if (count > 0 && !obey(words, count))
            printf("info string not understood: %.40s\n", words[0]);
        fflush(stdout);
        free(words);
    }
    return 0;
}
