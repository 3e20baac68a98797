//! `giuthi show`.

use giuthi_engine::{Position, Variant};

use super::{ENDLESS, OVER, PASS, printed, refused};

#[test]
fn the_standard_board_looks_like_this() {
    let wanted = "              7    6    5    4    3    2    1    0
           +----+----+----+----+----+----+----+----+
  player 1 |  8 |  8 |  8 |  8 |  8 |  8 |  8 |  8 |  pile   0
           +----+----+----+----+----+----+----+----+
> player 0 |  8 |  8 |  8 |  8 |  8 |  8 |  8 |  8 |  pile   0
           +----+----+----+----+----+----+----+----+
              8    9   10   11   12   13   14   15
Player 0 to move.
8,8,8,8,8,8,8,8 8,8,8,8,8,8,8,8 0 0 0
";
    assert_eq!(printed(["show"]), wanted);
}

/// What a drawing says: the pit numbers and the seeds of each row, and the piles.
fn read(drawing: &str) -> [Vec<u32>; 6] {
    let lines: Vec<&str> = drawing.lines().collect();
    let numbers =
        |line: &str| line.split_whitespace().map(|word| word.parse().unwrap()).collect::<Vec<u32>>();
    let seeds = |line: &str| {
        let (_, row) = line.split_once('|').unwrap();
        numbers(&row.rsplit_once('|').unwrap().0.replace('|', " "))
    };
    let pile = |line: &str| vec![line.rsplit(' ').next().unwrap().parse().unwrap()];
    [numbers(lines[0]), seeds(lines[2]), seeds(lines[4]), numbers(lines[6]), pile(lines[2]), pile(lines[4])]
}

#[test]
fn seeds_stand_at_their_pits_and_columns_line_up() {
    for width in 5..=10_u32 {
        // Every pit of another number, one of three digits; and piles.
        let mut pits: Vec<u32> = (0..2 * width).map(|pit| pit % 7).collect();
        pits[3] = 130;
        let text = |row: &[u32]| row.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let (north, south) = pits.split_at(width as usize);
        let position = format!("{} {} 12 7 1", text(north), text(south));
        let output = printed(["show", "--position", &position]);

        let frame_width = output.lines().nth(1).unwrap().len();
        for line in [1, 3, 5] {
            assert_eq!(output.lines().nth(line).unwrap().len(), frame_width, "{output}");
        }
        let [upper, upper_seeds, lower_seeds, lower, pile1, pile0] = read(&output);
        assert_eq!(upper, (0..width).rev().collect::<Vec<_>>());
        assert_eq!(lower, (width..2 * width).collect::<Vec<_>>());
        assert_eq!(upper_seeds, upper.iter().map(|&pit| pits[pit as usize]).collect::<Vec<_>>(), "{output}");
        assert_eq!(lower_seeds, lower.iter().map(|&pit| pits[pit as usize]).collect::<Vec<_>>(), "{output}");
        assert_eq!((pile0, pile1), (vec![12], vec![7]));
        // A number ends in the column where the seeds of its pit end.
        let end_of = |line: usize, column: usize| {
            let line = output.lines().nth(line).unwrap();
            let digits = |i: usize| line.as_bytes().get(i).is_some_and(u8::is_ascii_digit);
            (11..line.len()).filter(|&i| digits(i) && !digits(i + 1)).nth(column).unwrap()
        };
        for column in 0..width as usize {
            assert_eq!(end_of(0, column), end_of(2, column), "{output}");
            assert_eq!(end_of(4, column), end_of(6, column), "{output}");
        }
        assert!(output.lines().nth(2).unwrap().starts_with('>'), "player 1 is to move: {output}");
        assert_eq!(output.lines().last(), Some(position.as_str()));
    }
}

#[test]
fn every_variant_is_drawn_and_ends_with_its_position() {
    for variant in Variant::all() {
        let output = printed(["show", "--variant", &variant.to_string()]);
        assert_eq!(output.lines().count(), 9);
        assert_eq!(output.lines().last().unwrap().parse(), Ok(Position::start(variant)));
        assert!(output.lines().all(|line| line.len() <= 80));
    }
}

#[test]
fn it_says_how_the_game_stands() {
    let standing =
        |position: &str| printed(["show", "--position", position]).lines().nth(7).map(str::to_owned).unwrap();
    assert_eq!(standing(ENDLESS), "Player 0 to move.");
    assert!(standing(PASS).contains("Player 1 to move") && standing(PASS).contains("pass"));
    assert!(standing(OVER).contains("is over") && standing(OVER).contains("player 0 wins 11 to 3"));
    assert!(standing("0,0,0,0,0 1,1,0,0,0 3 5 0").contains("a draw, 5 to 5"));
}

#[test]
fn bad_positions_and_variants_are_errors_of_usage() {
    let cases = [
        (vec!["--position", "8,8"], "five fields"),
        (vec!["--position", ""], "five fields"),
        (vec!["--position", "1,1,1,1 1,1,1,1 0 0 0"], "a row has 4 pits"),
        (vec!["--position", "1,1,1,1,1 1,1,1,1,1,1 0 0 0"], "must be equal"),
        (vec!["--position", "1,1,x,1,1 1,1,1,1,1 0 0 0"], "`x` (row of player 1, pit 3 of the row)"),
        (vec!["--position", "1,1,1,1,1 1,1,1,1,1 0 0 2"], "0 or 1 are possible"),
        (vec!["--position", "256,1,1,1,1 1,1,1,1,1 0 0 0"], "pit 0 holds 256 seeds"),
        (vec!["--position", "200,1,1,1,1 1,1,1,1,1 60 0 0"], "269 seeds in all"),
        (vec!["--variant", "2x11x4"], "`2x11x4` is not a variant"),
        (vec!["--variant", "2x8x8", "--position", OVER], "--variant 2x8x8 has rows of 8 pits"),
        (vec!["--variant", "2x8x8", "--position", OVER], "--position has rows of 5"),
        (vec!["--variant"], "a value is required for '--variant <V>'"),
        (vec!["--variant", "2x8x8", "--variant", "2x8x8"], "cannot be used multiple times"),
        (vec!["surplus"], "unexpected argument 'surplus'"),
    ];
    for (arguments, says) in cases {
        refused([vec!["show"], arguments].concat(), 2, says);
    }
}

#[test]
fn a_variant_of_the_position_s_width_may_stand_beside_it() {
    let both = printed(["show", "--variant", "2x5x9", "--position", OVER]);
    assert_eq!(both, printed(["show", "--position", OVER]));
}
