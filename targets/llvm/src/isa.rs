//! Instruction sets as data: what a kernel generator and the code generator must know of a processor.
//!
//! The bits of a result never depend on anything here; the shapes of tiles and the instructions do. The only run-time
//! question is asked once, by [`Isa::host`].

use inkwell::targets::TargetMachine;

/// An instruction set: a code generation target and the facts a kernel generator tiles by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isa {
    /// The name as given to `--isa`.
    pub name: String,
    /// The target triple.
    pub triple: String,
    /// LLVM's name of the processor.
    pub cpu: String,
    /// LLVM's feature string, `+a,-b,...`.
    pub features: String,
    /// How many f32 a vector register holds.
    pub lanes: u32,
    /// How many vector registers there are.
    pub registers: u32,
    /// Whether a fused multiply-add is an instruction.
    pub fma: bool,
}

/// The instruction sets with a fixed definition; `native` is the one of the machine at hand.
struct Known {
    name: &'static str,
    triple: &'static str,
    cpu: &'static str,
    features: &'static str,
    lanes: u32,
    registers: u32,
    fma: bool,
}

const X86: &str = "x86_64-unknown-linux-gnu";
const AARCH64: &str = "aarch64-unknown-linux-gnu";

const KNOWN: [Known; 4] = [
    Known { name: "x86-64-v2", triple: X86, cpu: "x86-64-v2", features: "", lanes: 4, registers: 16, fma: false },
    Known { name: "x86-64-v3", triple: X86, cpu: "x86-64-v3", features: "", lanes: 8, registers: 16, fma: true },
    Known { name: "x86-64-v4", triple: X86, cpu: "x86-64-v4", features: "", lanes: 16, registers: 32, fma: true },
    Known { name: "aarch64", triple: AARCH64, cpu: "generic", features: "+neon", lanes: 4, registers: 32, fma: true },
];

/// The name that stands for the machine at hand.
const NATIVE: &str = "native";

impl Isa {
    /// The instruction set of a name as given to `--isa`.
    ///
    /// # Errors
    ///
    /// An unknown name; the message lists the known ones. For `native`, what [`Isa::host`] refuses.
    pub fn parse(name: &str) -> Result<Self, String> {
        if name == NATIVE {
            return Self::host();
        }
        let known = KNOWN
            .iter()
            .find(|known| known.name == name)
            .ok_or_else(|| format!("unknown instruction set '{name}'; known are {}", Self::names().join(", ")))?;
        Ok(Self {
            name: known.name.to_owned(),
            triple: known.triple.to_owned(),
            cpu: known.cpu.to_owned(),
            features: known.features.to_owned(),
            lanes: known.lanes,
            registers: known.registers,
            fma: known.fma,
        })
    }

    /// The names [`Isa::parse`] knows, in the order of a help text.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        std::iter::once(NATIVE).chain(KNOWN.iter().map(|known| known.name)).collect()
    }

    /// The instruction set of this machine, with every feature LLVM finds on it.
    ///
    /// # Errors
    ///
    /// An architecture this target generates no code for.
    pub fn host() -> Result<Self, String> {
        let base = host_base()?;
        let cpu = TargetMachine::get_host_cpu_name();
        let features = TargetMachine::get_host_cpu_features();
        Ok(Self { name: NATIVE.to_owned(), cpu: cpu.to_string(), features: features.to_string(), ..Self::parse(base)? })
    }

    /// Whether this machine can execute code for the instruction set.
    #[must_use]
    pub fn runs_on_host(&self) -> bool {
        let rank = |name: &str| KNOWN.iter().position(|known| known.name == name);
        match host_base() {
            Ok(_) if self.name == NATIVE => true,
            Ok(base) if base.starts_with("x86") && self.name.starts_with("x86") => rank(&self.name) <= rank(base),
            Ok(base) => base == self.name,
            Err(_) => false,
        }
    }
}

/// The best fixed definition this machine satisfies.
#[cfg(target_arch = "x86_64")]
fn host_base() -> Result<&'static str, String> {
    let v3 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("bmi2");
    let v4 = v3
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512cd");
    Ok(if v4 {
        "x86-64-v4"
    } else if v3 {
        "x86-64-v3"
    } else {
        "x86-64-v2"
    })
}

/// The best fixed definition this machine satisfies.
#[cfg(target_arch = "aarch64")]
fn host_base() -> Result<&'static str, String> {
    Ok("aarch64")
}

/// The best fixed definition this machine satisfies.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn host_base() -> Result<&'static str, String> {
    Err(format!("no code generation for this machine's architecture '{}'", std::env::consts::ARCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_parses_and_keeps_its_name() {
        for name in Isa::names() {
            assert_eq!(Isa::parse(name).map(|isa| isa.name).as_deref(), Ok(name));
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = Isa::parse("avx2").expect_err("not a name");
        assert_eq!(error, "unknown instruction set 'avx2'; known are native, x86-64-v2, x86-64-v3, x86-64-v4, aarch64");
    }

    #[test]
    fn the_host_runs_itself() {
        let host = Isa::host().expect("a supported machine");
        assert!(host.runs_on_host());
        assert!(!host.cpu.is_empty());
    }
}
