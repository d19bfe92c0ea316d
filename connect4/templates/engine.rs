// A Connect 4 engine to begin with: it wins at once if it can, else stops a row of the opponent, else plays nearest the
// middle. Write a better `choose`.
//
//     treebandit template rust -o my_engine.rs
//     rustc -O my_engine.rs
//     treebandit judge command=./my_engine positions=60
//
// Each input line is a position: the moves so far, as columns from 1. With a time budget, a space and the seconds for
// this move follow, as in "4453 0.05". Boards of more than nine columns have commas between the moves. The answer is a
// line with a column, such as "4". It may also have the value for the side to move, from 0 (a loss) to 1 (a win), as in
// "4 0.62".

use std::env;
use std::io::{self, BufRead, Write};

struct Position {
    height: usize,
    connect: usize,
    columns: Vec<Vec<u8>>, // the stones of each column from the bottom: 1 is who moved first, 2 the other
}

impl Position {
    /// Stones of a player next to a cell in one direction.
    fn stones(&self, column: usize, row: usize, right: isize, up: isize, player: u8) -> usize {
        (1..)
            .take_while(|&step| {
                let (x, y) = (column as isize + right * step, row as isize + up * step);
                x >= 0 && y >= 0 && self.columns.get(x as usize).and_then(|c| c.get(y as usize)) == Some(&player)
            })
            .count()
    }

    /// Whether a stone of a player on an open column wins.
    fn wins(&self, column: usize, player: u8) -> bool {
        let row = self.columns[column].len();
        [(1, 0), (0, 1), (1, 1), (1, -1)].iter().any(|&(right, up)| {
            let beside = self.stones(column, row, right, up, player) + self.stones(column, row, -right, -up, player);
            1 + beside >= self.connect
        })
    }
}

/// The column, from 0, that a player plays within some seconds (0: no budget).
fn choose(position: &Position, player: u8, _seconds: f64) -> usize {
    let width = position.columns.len();
    let open: Vec<usize> = (0..width).filter(|&column| position.columns[column].len() < position.height).collect();
    let winning = |player| open.iter().copied().find(|&column| position.wins(column, player));
    let middle = open.iter().copied().min_by_key(|&column| (2 * column + 1).abs_diff(width));
    winning(player).or_else(|| winning(3 - player)).or(middle).expect("an open column")
}

fn main() {
    let board = env::var("BOARD").unwrap_or("7x6".into());
    let size: Vec<usize> = board.split('x').map(|side| side.parse().expect("BOARD=7x6")).collect();
    let connect = env::var("CONNECT").unwrap_or("4".into()).parse().expect("CONNECT=4");
    for line in io::stdin().lock().lines() {
        let line = line.expect("a line of text");
        let (moves, seconds) = line.split_once(' ').unwrap_or((&line, "0"));
        let moves: Vec<usize> = if size[0] > 9 {
            moves.split(',').filter_map(|column| column.parse().ok()).collect()
        } else {
            moves.chars().filter_map(|column| column.to_digit(10)).map(|column| column as usize).collect()
        };
        let mut position = Position { height: size[1], connect, columns: vec![Vec::new(); size[0]] };
        for (ply, column) in moves.iter().enumerate() {
            position.columns[column - 1].push(1 + (ply % 2) as u8);
        }
        let player = 1 + (moves.len() % 2) as u8;
        println!("{}", choose(&position, player, seconds.parse().unwrap_or(0.0)) + 1);
        io::stdout().flush().expect("somebody who reads"); // or the answer stays here
    }
}
