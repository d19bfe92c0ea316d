/* A Connect 4 engine to begin with: it wins at once if it can, else stops a row of the opponent, else plays nearest the
   middle. Write a better `choose`.

       treebandit template c -o my_engine.c
       gcc -O2 -o my_engine my_engine.c
       treebandit judge command=./my_engine positions=60

   Each input line is a position: the moves so far, as columns from 1. With a time budget, a space and the seconds for
   this move follow, as in "4453 0.05". Boards of more than nine columns have commas between the moves. The answer is a
   line with a column, such as "4". It may also have the value for the side to move, from 0 (a loss) to 1 (a win), as in
   "4 0.62". */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 100 /* columns, and rows */

static int width = 7, height = 6, connect = 4;
static int cells[MOST][MOST]; /* by column and row, row 0 at the bottom: 0 empty, 1 who moved first, 2 the other */
static int heights[MOST];     /* stones in each column */

/* Stones of a player next to a cell in one direction. */
static int stones(int column, int row, int right, int up, int player) {
    int count = 0;
    for (column += right, row += up; column >= 0 && column < width && row >= 0 && row < height;
         column += right, row += up, count++)
        if (cells[column][row] != player) break;
    return count;
}

/* Whether a stone of a player on an open column wins. */
static int wins(int column, int player) {
    static const int directions[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    int row = heights[column];
    for (int i = 0; i < 4; i++) {
        int right = directions[i][0], up = directions[i][1];
        if (1 + stones(column, row, right, up, player) + stones(column, row, -right, -up, player) >= connect) return 1;
    }
    return 0;
}

/* The column, from 0, that a player plays within some seconds (0: no budget). */
static int choose(int player, double seconds) {
    int block = -1, middle = -1;
    (void)seconds; /* a search would look at its clock */
    for (int column = 0; column < width; column++) {
        if (heights[column] == height) continue;
        if (wins(column, player)) return column;
        if (block < 0 && wins(column, 3 - player)) block = column;
        if (middle < 0 || abs(2 * column - width + 1) < abs(2 * middle - width + 1)) middle = column;
    }
    return block >= 0 ? block : middle;
}

int main(void) {
    static char line[1 << 16];
    const char *board = getenv("BOARD"), *row = getenv("CONNECT");
    if (board) sscanf(board, "%dx%d", &width, &height);
    if (row) connect = atoi(row);
    while (fgets(line, sizeof line, stdin)) {
        char *moves = line, *budget = strchr(line, ' ');
        double seconds = budget ? atof(budget) : 0.0;
        int player = 1;
        if (budget) *budget = '\0';
        memset(cells, 0, sizeof cells);
        memset(heights, 0, sizeof heights);
        while (*moves >= '0' && *moves <= '9') {
            int column = width > 9 ? (int)strtol(moves, &moves, 10) - 1 : *moves++ - '1';
            if (*moves == ',') moves++;
            cells[column][heights[column]++] = player;
            player = 3 - player;
        }
        printf("%d\n", choose(player, seconds) + 1);
        fflush(stdout); /* or the answer stays here */
    }
    return 0;
}
