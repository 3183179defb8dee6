//! A barrier for short waits: it spins a bounded number of times, then yields the core at every look.
//!
//! Spinning wins while every thread has a core of its own (the parts of a kernel end within microseconds of each
//! other); yielding keeps the program moving when there are more threads than cores.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Looks at the epoch before the first yield: some ten microseconds.
const SPINS: u32 = 4096;

/// Lets a fixed number of threads wait for each other, any number of times.
///
/// Aligned to two cache lines, so that a waiting core disturbs no data beside it.
#[repr(align(128))]
pub struct Barrier {
    threads: u32,
    arrived: AtomicU32,
    epoch: AtomicU32,
    broken: AtomicBool,
}

impl Barrier {
    /// A barrier for `threads` threads.
    ///
    /// # Panics
    ///
    /// If `threads` is zero or does not fit into 32 bits.
    pub fn new(threads: usize) -> Self {
        let threads = u32::try_from(threads).ok().filter(|&threads| threads > 0).expect("1 to 2^32 - 1 threads");
        Barrier { threads, arrived: AtomicU32::new(0), epoch: AtomicU32::new(0), broken: AtomicBool::new(false) }
    }

    /// How many threads meet here.
    pub fn threads(&self) -> usize {
        self.threads as usize
    }

    /// Returns once all threads have called it; what any of them wrote before is visible to all of them after.
    ///
    /// # Panics
    ///
    /// If the barrier was broken, because one of the threads will never arrive.
    pub fn wait(&self) {
        // The epoch cannot move between this load and our arrival, since it moves only when all have arrived. A plain
        // load suffices: we have already seen the epoch that let us out of the previous round.
        let epoch = self.epoch.load(Ordering::Relaxed);
        // Acquire and release chain the arrivals: the last thread has seen what all others wrote.
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            // Nobody arrives for the next round before the epoch moves, so the order of the two stores is the reset.
            self.arrived.store(0, Ordering::Relaxed);
            self.epoch.store(epoch.wrapping_add(1), Ordering::Release);
        } else {
            self.wait_for_change(epoch);
        }
    }

    fn wait_for_change(&self, epoch: u32) {
        let mut looks = 0_u32;
        while self.epoch.load(Ordering::Acquire) == epoch {
            if looks < SPINS {
                looks += 1;
                spin_loop();
            } else {
                assert!(!self.broken.load(Ordering::Relaxed), "another thread at this barrier has panicked");
                std::thread::yield_now();
            }
        }
    }

    /// Makes every present and future wait panic instead of hanging: some thread will not arrive any more.
    pub fn break_up(&self) {
        self.broken.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;
    use std::time::{Duration, Instant};

    /// Every thread publishes its round with a plain (relaxed) store; after the barrier all must see all of them.
    fn rounds_are_seen(threads: usize, rounds: u64) {
        let barrier = Barrier::new(threads);
        let seen: Vec<AtomicU64> = (0..threads).map(|_| AtomicU64::new(0)).collect();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (barrier, seen) = (&barrier, &seen);
                scope.spawn(move || {
                    for round in 1..=rounds {
                        seen[thread].store(round, Ordering::Relaxed);
                        barrier.wait();
                        for other in seen {
                            assert_eq!(other.load(Ordering::Relaxed), round);
                        }
                        barrier.wait();
                    }
                });
            }
        });
    }

    #[test]
    fn one_to_eight_threads_meet_many_times() {
        for threads in 1..=8 {
            rounds_are_seen(threads, 4000 / threads as u64);
        }
    }

    #[test]
    fn many_more_threads_than_cores_still_move() {
        let start = Instant::now();
        rounds_are_seen(32, 100);
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn the_epoch_may_wrap() {
        let barrier = Barrier::new(2);
        barrier.epoch.store(u32::MAX - 1, Ordering::Relaxed);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..5).for_each(|_| barrier.wait()));
            }
        });
        assert_eq!(barrier.epoch.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn a_broken_barrier_panics_instead_of_hanging() {
        let barrier = Barrier::new(2);
        let waiter = std::thread::scope(|scope| {
            let waiter = scope.spawn(|| barrier.wait());
            barrier.break_up();
            waiter.join()
        });
        assert!(waiter.is_err());
    }
}
