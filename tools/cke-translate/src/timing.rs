//! How long each step took.

use std::fmt;
use std::time::{Duration, Instant};

/// A clock that is read at the end of each step.
#[derive(Debug)]
pub struct Timing {
    start: Instant,
    last: Instant,
    steps: Vec<(&'static str, Duration)>,
}

impl Timing {
    /// Starts the clock.
    pub fn start() -> Self {
        let now = Instant::now();
        Self { start: now, last: now, steps: Vec::new() }
    }

    /// Ends a step.
    pub fn step(&mut self, name: &'static str) {
        let now = Instant::now();
        self.steps.push((name, now - self.last));
        self.last = now;
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, time: Duration| writeln!(f, "{:>10.4} s  {name}", time.as_secs_f64());
        self.steps.iter().try_for_each(|(name, time)| line(name, *time))?;
        line("total", self.last - self.start)
    }
}
