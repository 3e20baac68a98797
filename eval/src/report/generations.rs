//! Which agents are generations of networks, told by their names (`gen3`, `generation-3`), or else by the folder that
//! `giuthi train loop` keeps a generation's network in (`net=RUN/gen-003/net.safetensors`).

use crate::about::AboutAgent;

/// An agent that is a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generation {
    /// The generation's number.
    pub number: u32,
    /// The agent's number.
    pub agent: usize,
}

/// The agents that are generations, by their numbers; none where fewer than two different ones are there.
#[must_use]
pub fn of(agents: &[AboutAgent]) -> Vec<Generation> {
    let number = |agent: &AboutAgent| named(&agent.name).or_else(|| kept(&agent.spec));
    let numbered = agents.iter().enumerate();
    let mut generations: Vec<Generation> =
        numbered.filter_map(|(at, agent)| Some(Generation { number: number(agent)?, agent: at })).collect();
    generations.sort_by_key(|generation| generation.number);
    match (generations.first(), generations.last()) {
        (Some(first), Some(last)) if first.number < last.number => generations,
        _ => Vec::new(),
    }
}

/// The number in a name such as `gen3`, `Gen 03`, `generation-3`.
fn named(name: &str) -> Option<u32> {
    let name = name.to_ascii_lowercase();
    let rest = name.strip_prefix("generation").or_else(|| name.strip_prefix("gen"))?;
    digits(rest.strip_prefix(['-', '_', ' ', '.', '#']).unwrap_or(rest))
}

/// The number of the folder that the network of a spec lies in.
fn kept(spec: &str) -> Option<u32> {
    let path = spec.split(',').find_map(|part| {
        let part = part.strip_prefix("net:").unwrap_or(part);
        part.rsplit_once("net=").map_or_else(|| spec.strip_prefix("net:"), |(_, path)| Some(path))
    })?;
    let (folder, _) = path.rsplit_once(['/', '\\'])?;
    digits(folder.rsplit(['/', '\\']).next()?.strip_prefix("gen-")?)
}

/// Up to six digits and nothing else.
fn digits(text: &str) -> Option<u32> {
    let good = (1..=6).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    good.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_is_told_by_name_or_folder() {
        for (name, spec, number) in [
            ("gen3", "ab:depth=3", Some(3)),
            ("Gen 03", "random", Some(3)),
            ("generation-12", "random", Some(12)),
            ("gen_0", "random", Some(0)),
            ("gen3b", "random", None),
            ("gen", "random", None),
            ("general", "random", None),
            ("oxygen3", "random", None),
            ("gen12345678", "random", None),
            ("best", "ab:depth=3,net=runs/a/gen-004/net.safetensors", Some(4)),
            ("best", "ab:net=runs/a/gen-004/net.safetensors,depth=3", Some(4)),
            ("best", "net:runs/gen-005/net.safetensors", Some(5)),
            ("gen7", "net:runs/gen-005/net.safetensors", Some(7)),
            ("best", "ab:depth=3,net=gen-004.safetensors", None),
            ("best", "ab:depth=3,net=runs/gen-004/data/net.safetensors", None),
            ("gen-004/x", "ab:depth=3", None),
        ] {
            let agent = |name: &str, spec: &str| AboutAgent { name: name.to_owned(), spec: spec.to_owned() };
            let found = of(&[agent(name, spec), agent("gen999", "random")]);
            let expected: Vec<Generation> = match number {
                Some(number) => {
                    vec![Generation { number, agent: 0 }, Generation { number: 999, agent: 1 }]
                }
                None => Vec::new(),
            };
            assert_eq!(found, expected, "{name}@{spec}");
        }
    }
}
