//! `giuthi-eval replay`: a game of a tournament in the terminal.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use giuthi_engine::cli::{Usage, print, whole_number};
use giuthi_engine::notation::excerpt;

use crate::replay::Replay;

/// Show a game of a tournament ply by ply, on the board
///
/// In a terminal each ply waits for Enter; else the whole game is printed.
#[derive(Args)]
pub(super) struct Arguments {
    /// Folder of a tournament, finished or not
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Number of the game in games.csv, from 0
    #[arg(value_name = "GAME", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    game: u64,
    /// Show this ply alone, with every lap of its move; 0 is the start
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    ply: Option<u64>,
    /// Print what `giuthi apply --json` prints: one JSON object a ply
    #[arg(long)]
    json: bool,
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let replay = Replay::read(&arguments.folder, arguments.game)?;
    let last = replay.plies();
    if let Some(ply) = arguments.ply {
        let there = usize::try_from(ply).ok().filter(|&ply| ply <= last);
        let ply = there.ok_or_else(|| {
            Usage(format!("--ply {ply}: game {} has the plies 0 (its start) to {last}", arguments.game))
        })?;
        return print(&match arguments.json {
            true => replay.json_line(ply),
            false => format!("{}\n{}", replay.heading(), replay.ply(ply, true)),
        });
    }
    if arguments.json {
        let from = 1.min(last);
        return print(&(from..=last).map(|ply| replay.json_line(ply)).collect::<String>());
    }
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return step(&replay, &mut io::stdin().lock(), &mut io::stdout().lock())
            .context("cannot go on showing the game");
    }
    let plies: Vec<String> = (0..=last).map(|ply| replay.ply(ply, false)).collect();
    print(&format!("{}\n{}", replay.heading(), plies.join("\n")))
}

/// Shows the game as its reader asks for it.
fn step(replay: &Replay, input: &mut impl BufRead, out: &mut impl Write) -> io::Result<()> {
    let last = replay.plies();
    let mut ply = 0;
    writeln!(out, "{}", replay.heading())?;
    loop {
        write!(out, "{}", replay.ply(ply, false))?;
        loop {
            write!(out, "\nply {ply} of {last}; Enter: on, b: back, a number: to that ply, q: quit > ")?;
            out.flush()?;
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line)? == 0 {
                return writeln!(out);
            }
            let line = String::from_utf8_lossy(&line);
            let asked = match line.trim() {
                "q" => return Ok(()),
                // After the last ply there is nothing more to see.
                "" if ply == last => return Ok(()),
                "" => Some(ply + 1),
                "b" => Some(ply.saturating_sub(1)),
                number => number.parse().ok().filter(|&number| number <= last),
            };
            match asked {
                Some(asked) => {
                    ply = asked;
                    writeln!(out)?;
                    break;
                }
                None => {
                    let typed = excerpt(line.trim());
                    writeln!(out, "`{typed}`: Enter, b, a number from 0 to {last}, or q")?;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_reader_steps_through_the_game() {
        let folder = tempfile::tempdir().unwrap();
        let about = r#"{"program":"","variant":"2x5x4","format":"ladder","games":2,"decided":"off","seed":1,"shard":"0/1",
            "agents":[{"name":"a","spec":"random"},{"name":"b","spec":"cmd:x"}]}"#;
        fs::write(folder.path().join("tournament.json"), about).unwrap();
        let games = "game,round,player0,player1,opening,moves,result,end,plies,ms0,ms1,fault\n\
                     0,0,a,b,,7ccw 2cw,0-1,forfeit,2,1.0,1.0,crash\n";
        fs::write(folder.path().join("games.csv.partial"), games).unwrap();
        let replay = Replay::read(folder.path(), 0).unwrap();
        let shown_by = |mut typed: &[u8]| {
            let mut out = Vec::new();
            step(&replay, &mut typed, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let shown = |typed: &str| shown_by(typed.as_bytes());
        let plies = |text: &str| -> Vec<String> {
            let of = |line: &str| Some(line.strip_prefix("ply ")?.split(' ').next()?.to_owned());
            text.lines().filter_map(of).collect()
        };
        let text = shown("\n\n\n");
        assert_eq!(plies(&text), ["0", "1", "2"]);
        assert!(text.contains("Ply 1, player 0 (a): 7ccw\n"), "{text}");
        assert!(text.contains("lost the game here by a fault: crash."), "{text}");
        assert_eq!(plies(&shown("2\nb\nb\nb\n7\nx\nq\n")), ["0", "2", "1", "0", "0", "0", "0"]);
        assert!(shown("7\n").contains("`7`: Enter, b, a number from 0 to 2, or q"));
        assert_eq!(plies(&shown("")), ["0"]);
        // What a terminal of another character set sends is answered as any other word.
        let text = shown_by(b"\xe9\n1\n");
        assert!(plies(&text) == ["0", "0", "1"] && text.contains("`\u{fffd}`: Enter"), "{text}");
    }
}
