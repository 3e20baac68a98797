//! The thread that searches, so that the one that reads can answer at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use rand_chacha::ChaCha8Rng;

use super::engine::Event;
use crate::agent::{Agent, Choice, Clock, Request};
use crate::game::Game;
use crate::rules::Move;
use crate::search::Limits;

/// A `go`, to be answered by exactly one [`Event::Best`]; in the order they came.
pub(super) enum Job {
    /// To be searched.
    Search(Search),
    /// To be answered without a move, and why.
    Decline(String),
}

pub(super) struct Search {
    /// An agent that takes the place of the one before.
    pub(super) newcomer: Option<Box<dyn Agent>>,
    /// The game, which is not over.
    pub(super) game: Game,
    /// Limits instead of the agent's own.
    pub(super) limits: Option<Limits>,
    /// Whether to keep the answer back until it is asked for.
    pub(super) infinite: bool,
    /// When the question came, by the clock.
    pub(super) began: Duration,
    /// Tells when the answer is wanted at once.
    pub(super) stop: Arc<Signal>,
}

/// A flag that can be waited for.
#[derive(Default)]
pub(super) struct Signal {
    flag: AtomicBool,
    lock: Mutex<()>,
    raised: Condvar,
}

impl Signal {
    pub(super) fn raise(&self) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.flag.store(true, Ordering::Relaxed);
        self.raised.notify_all();
    }

    fn wait(&self) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.flag.load(Ordering::Relaxed) {
            guard = self.raised.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Answers jobs until there are no more, or nobody listens.
pub(super) fn work(
    jobs: &Receiver<Job>,
    events: &SyncSender<Event>,
    mut rng: ChaCha8Rng,
    clock: &impl Clock,
) {
    let mut agent: Option<Box<dyn Agent>> = None;
    for job in jobs {
        let best = match job {
            Job::Decline(reason) => Event::Best { mv: None, reason: Some(reason) },
            Job::Search(mut search) => {
                if let Some(newcomer) = search.newcomer.take() {
                    agent = Some(newcomer);
                }
                let agent = agent.as_mut().expect("the first search brings an agent");
                Event::Best {
                    mv: Some(answer(search, agent.as_mut(), events, &mut rng, clock)),
                    reason: None,
                }
            }
        };
        if events.send(best).is_err() {
            return;
        }
    }
}

fn answer(
    search: Search,
    agent: &mut dyn Agent,
    events: &SyncSender<Event>,
    rng: &mut ChaCha8Rng,
    clock: &impl Clock,
) -> Move {
    let mut told: Option<Choice> = None;
    let mut tell = |choice: &Choice| {
        // What did not change is not said twice; who has not searched has nothing to say.
        if choice.value.is_some() && told.as_ref() != Some(choice) {
            told = Some(choice.clone());
            let time = clock.now().saturating_sub(search.began);
            // Nobody listening ends the thread after the search.
            let _ = events.send(Event::Thought { choice: choice.clone(), time });
        }
    };
    let choice = {
        let mut request = Request::new(rng, clock);
        request.stop = Some(&search.stop.flag);
        request.limits = search.limits;
        request.observe = Some(&mut tell);
        agent.choose(&search.game, &mut request)
    };
    tell(&choice);
    if search.infinite {
        search.stop.wait();
    }
    choice.mv
}
