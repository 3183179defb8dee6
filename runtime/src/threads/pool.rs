//! A persistent pool: the same threads run one closure after the other, thread 0 being the caller.
//!
//! Between two closures the workers spin for a moment (the next token follows at once) and then sleep.

use super::Barrier;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Looks at the turn before a worker goes to sleep: some tens of microseconds.
const SPINS: u32 = 16_384;

type Job = Arc<dyn Fn(usize) + Send + Sync>;
type Panic = Box<dyn std::any::Any + Send>;

/// A fixed number of threads that run closures together.
///
/// A closure owns what it captures (this crate has no `unsafe`, so it cannot lend a borrow to a persistent thread);
/// numbers such as a base address, and `Arc`s, are what engines capture.
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

struct Shared {
    /// Counts the jobs given out, so that a worker can look for the next without the lock.
    turn: AtomicU64,
    slot: Mutex<Slot>,
    wake: Condvar,
    /// The workers and the caller meet here when a job is done.
    done: Barrier,
    /// The barrier which jobs use among themselves.
    barrier: Arc<Barrier>,
}

struct Slot {
    turn: u64,
    /// The job of this turn; a turn without a job is the last one.
    job: Option<Job>,
    panic: Option<Panic>,
}

impl Pool {
    /// Starts `threads - 1` workers.
    ///
    /// # Errors
    ///
    /// The system refuses a thread.
    ///
    /// # Panics
    ///
    /// If `threads` is zero or does not fit into 32 bits.
    pub fn new(threads: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            turn: AtomicU64::new(0),
            slot: Mutex::new(Slot { turn: 0, job: None, panic: None }),
            wake: Condvar::new(),
            done: Barrier::new(threads),
            barrier: Arc::new(Barrier::new(threads)),
        });
        let mut pool = Pool { shared, workers: Vec::with_capacity(threads - 1) };
        for thread in 1..threads {
            let shared = Arc::clone(&pool.shared);
            let worker = std::thread::Builder::new().name(format!("cke-{thread}")).spawn(move || shared.work(thread));
            // On failure the drop of `pool` stops the workers that have started.
            pool.workers.push(worker?);
        }
        Ok(pool)
    }

    /// How many threads run a closure, the caller included.
    pub fn threads(&self) -> usize {
        self.shared.done.threads()
    }

    /// The barrier for closures of this pool: all its threads must wait at it equally often within one closure.
    pub fn barrier(&self) -> &Arc<Barrier> {
        &self.shared.barrier
    }

    /// Runs `job(thread)` on every thread, `thread` from 0 (the caller) to `threads() - 1`, and waits for all.
    ///
    /// # Panics
    ///
    /// If a thread's run of the closure panics; threads which wait for it at the pool's barrier are released by a panic
    /// of their own. The pool is spent after that: its barrier stays broken.
    pub fn run(&mut self, job: impl Fn(usize) + Send + Sync + 'static) {
        let job: Job = Arc::new(job);
        self.shared.hand_out(Some(Arc::clone(&job)));
        self.shared.call(&job, 0);
        self.shared.done.wait();
        let mut slot = self.shared.lock();
        slot.job = None;
        if let Some(panic) = slot.panic.take() {
            drop(slot);
            resume_unwind(panic);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.hand_out(None);
        for worker in self.workers.drain(..) {
            // A worker catches the panics of its jobs, so there is no outcome to look at.
            let _ = worker.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Slot> {
        // No code that can panic runs under the lock.
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hand_out(&self, job: Option<Job>) {
        let mut slot = self.lock();
        slot.job = job;
        slot.turn += 1;
        self.turn.store(slot.turn, Ordering::Release);
        drop(slot);
        self.wake.notify_all();
    }

    fn work(&self, thread: usize) {
        let mut turn = 0;
        while let Some(job) = self.next(&mut turn) {
            self.call(&job, thread);
            // The caller may rely on the closure's captures being gone when `run` returns.
            drop(job);
            self.done.wait();
        }
    }

    fn next(&self, turn: &mut u64) -> Option<Job> {
        let mut looks = 0;
        while looks < SPINS && self.turn.load(Ordering::Acquire) == *turn {
            looks += 1;
            std::hint::spin_loop();
        }
        let slot = self.lock();
        let slot = self.wake.wait_while(slot, |slot| slot.turn == *turn).unwrap_or_else(PoisonError::into_inner);
        *turn = slot.turn;
        slot.job.clone()
    }

    fn call(&self, job: &Job, thread: usize) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| job(thread))) {
            // The first panic is the cause, later ones are its echo at the barrier: so it is kept before the break-up.
            self.lock().panic.get_or_insert(panic);
            self.barrier.break_up();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn every_thread_runs_every_closure_once() {
        for threads in 1..=8 {
            let mut pool = Pool::new(threads).unwrap();
            assert_eq!(pool.threads(), threads);
            let counts: Arc<Vec<AtomicUsize>> = Arc::new((0..threads).map(|_| AtomicUsize::new(0)).collect());
            for _ in 0..200 {
                let counts = Arc::clone(&counts);
                pool.run(move |thread| {
                    counts[thread].fetch_add(1, Ordering::Relaxed);
                });
            }
            assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 200));
            assert_eq!(Arc::strong_count(&counts), 1, "closures are dropped when run returns");
        }
    }

    #[test]
    fn thread_0_is_the_caller() {
        let caller = std::thread::current().id();
        let mut pool = Pool::new(3).unwrap();
        pool.run(move |thread| assert_eq!(thread == 0, std::thread::current().id() == caller));
    }

    #[test]
    fn closures_meet_at_the_barrier() {
        let mut pool = Pool::new(4).unwrap();
        let sum = Arc::new(AtomicUsize::new(0));
        for round in 1..=100 {
            let (barrier, sum) = (Arc::clone(pool.barrier()), Arc::clone(&sum));
            pool.run(move |_| {
                sum.fetch_add(1, Ordering::Relaxed);
                barrier.wait();
                assert_eq!(sum.load(Ordering::Relaxed), 4 * round);
            });
        }
    }

    #[test]
    fn workers_that_sleep_are_woken() {
        let mut pool = Pool::new(2).unwrap();
        for _ in 0..3 {
            std::thread::sleep(std::time::Duration::from_millis(20));
            pool.run(|_| ());
        }
    }

    #[test]
    fn a_panic_reaches_the_caller_and_frees_the_others() {
        let mut pool = Pool::new(3).unwrap();
        let barrier = Arc::clone(pool.barrier());
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            pool.run(move |thread| {
                assert!(thread != 2, "thread 2 gives up");
                barrier.wait();
            });
        }));
        let panic = outcome.unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"thread 2 gives up"));
        drop(pool);
    }
}
