package tilewright.verification.mutation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxPrinter;
import tilewright.ptx.Statement;

/**
 * Everything that can be wrong with a kernel's synchronisation and bounds, one at a time: a barrier that is missing, a
 * wait that lets one more copy be under way, a bound that is one too large. A simulator worth its name notices each.
 */
public final class Mutations {
  private Mutations() {}

  /** Kernels without one of their barriers. */
  public static List<Mutant> withoutABarrier(PtxModule module) {
    return mutants(module, "removed", i -> i.opcode().equals("bar") ? Optional.of(List.of()) : Optional.empty());
  }

  /** Kernels in which one wait for copies lets one more group be under way. */
  public static List<Mutant> withAWeakerWait(PtxModule module) {
    return mutants(module, "weakened", i -> i.name().equals("cp.async.wait_group")
        && i.operands().getFirst() instanceof Operand.Integer(long pending)
            ? Optional.of(List.of(Instruction.of(i.name(), new Operand.Integer(pending + 1)))) : Optional.empty());
  }

  /** Kernels in which one comparison lets one coordinate more pass. */
  public static List<Mutant> withALooserBound(PtxModule module) {
    return mutants(module, "loosened", i -> i.name().equals("setp.lt.s32")
        ? Optional.of(List.of(new Instruction(i.guard(), "setp", List.of("le", "s32"), i.operands(),
            i.line()))) : Optional.empty());
  }

  /** Kernels without one of the fences, arrivals, group ends or cluster barriers of asynchronous work (SM90). */
  public static List<Mutant> withoutASignal(PtxModule module) {
    return mutants(module, "removed", i -> isSignal(i.name()) ? Optional.of(List.of()) : Optional.empty());
  }

  private static boolean isSignal(String name) {
    return name.startsWith("fence.") || name.startsWith("wgmma.fence") || name.contains(".commit_group")
        || name.startsWith("mbarrier.arrive") || name.startsWith("mbarrier.init") || name.startsWith("barrier.cluster");
  }

  /** Kernels in which one wait of asynchronous work lets one more group be under way, or one barrier goes unwaited. */
  public static List<Mutant> withAnEarlierWait(PtxModule module) {
    return mutants(module, "weakened", i -> {
      var operands = i.operands();
      if (i.name().startsWith("mbarrier.try_wait")) {
        return Optional.of(List.of(Instruction.of("setp.eq.u32", operands.getFirst(), new Operand.Integer(0),
            new Operand.Integer(0))));
      }
      return i.name().contains(".wait_group") && operands.getFirst() instanceof Operand.Integer(long pending)
          ? Optional.of(List.of(new Instruction(i.guard(), i.opcode(), i.modifiers(),
              List.of(new Operand.Integer(pending + 1)), i.line()))) : Optional.empty();
    });
  }

  /** Kernels without one of the commits, fences, waits or releases of work on Tensor Memory (SM100). */
  public static List<Mutant> withoutATensorSignal(PtxModule module) {
    return mutants(module, "removed", i -> isTensorSignal(i.name()) ? Optional.of(List.of()) : Optional.empty());
  }

  private static boolean isTensorSignal(String name) {
    return name.startsWith("tcgen05.commit") || name.startsWith("tcgen05.fence") || name.startsWith("tcgen05.wait")
        || name.startsWith("tcgen05.dealloc");
  }

  /** Kernels in which one wait for a phase always waits for the same one. */
  public static List<Mutant> withAFrozenPhase(PtxModule module) {
    var all = new ArrayList<Mutant>();
    for (long parity : new long[] {0, 1}) {
      all.addAll(mutants(module, "fixed the parity at " + parity, i -> i.name().startsWith("mbarrier.try_wait")
          ? Optional.of(List.of(withLast(i, parity))) : Optional.empty()));
    }
    return all;
  }

  /** Kernels in which one barrier completes with an arrival fewer, or waits for one more. */
  public static List<Mutant> withOtherArrivals(PtxModule module) {
    var all = new ArrayList<Mutant>();
    for (long change : new long[] {-1, 1}) {
      all.addAll(mutants(module, "changed by " + change, i -> i.name().startsWith("mbarrier.init")
          && i.operands().getLast() instanceof Operand.Integer(long arrivals) && arrivals + change > 0
          ? Optional.of(List.of(withLast(i, arrivals + change))) : Optional.empty()));
    }
    return all;
  }

  /** Kernels in which one signal that several blocks should receive reaches only the own one. */
  public static List<Mutant> withANarrowerSignal(PtxModule module) {
    return mutants(module, "narrowed", i -> i.name().startsWith("tcgen05.commit") && i.name().contains("multicast")
        ? Optional.of(List.of(new Instruction(i.guard(), i.opcode(),
            i.modifiers().stream().filter(m -> !m.startsWith("multicast")).toList(), i.operands().subList(0, 1),
            i.line()))) : Optional.empty());
  }

  private static Instruction withLast(Instruction i, long value) {
    var operands = new ArrayList<>(i.operands());
    operands.set(operands.size() - 1, new Operand.Integer(value));
    return new Instruction(i.guard(), i.opcode(), i.modifiers(), operands, i.line());
  }

  /** Kernels in which one flag in global memory is not raised, raised without publishing, or not waited for. */
  public static List<Mutant> withAWeakerFlag(PtxModule module) {
    var all = new ArrayList<>(mutants(module, "removed", i -> raises(i) ? Optional.of(List.of()) : Optional.empty()));
    all.addAll(mutants(module, "relaxed", i -> raises(i)
        ? Optional.of(List.of(new Instruction(i.guard(), i.opcode(), i.modifiers().stream()
            .map(m -> m.equals("acq_rel") || m.equals("release") ? "relaxed" : m).toList(), i.operands(), i.line())))
        : Optional.empty()));
    all.addAll(mutants(module, "passed", i -> i.name().startsWith("ld.acquire")
        ? Optional.of(List.of(Instruction.of("mov.b32", i.operands().getFirst(), new Operand.Integer(1))))
        : Optional.empty()));
    return all;
  }

  private static boolean raises(Instruction i) {
    return i.name().startsWith("atom.acq_rel") || i.name().startsWith("red.release.gpu");
  }

  /**
   * Kernels in which one flag between devices is not raised, or not at scope {@code .sys}, or publishes nothing; or one
   * wait for a flag passes at once, does not acquire, or only at scope {@code .gpu}; or a flag is reset too early, or
   * not at all.
   */
  public static List<Mutant> withAWeakerPeerFlag(PtxModule module) {
    var all = new ArrayList<Mutant>();
    all.addAll(mutants(module, "removed", i -> i.name().startsWith("st.release.sys") || isReset(i)
        ? Optional.of(List.of()) : Optional.empty()));
    all.addAll(mutants(module, "narrowed", i -> isPeerFlag(i) ? replacing(i, "sys", "gpu") : Optional.empty()));
    all.addAll(mutants(module, "relaxed", i -> i.name().startsWith("st.release.sys")
        ? replacing(i, "release", "relaxed") : i.name().startsWith("ld.acquire.sys")
        ? replacing(i, "acquire", "relaxed") : Optional.empty()));
    all.addAll(mutants(module, "passed", i -> i.name().startsWith("ld.acquire.sys")
        ? Optional.of(List.of(passing(module, i))) : Optional.empty()));
    for (var mutant : mutants(module, "removed", i -> isReset(i) ? Optional.of(List.of()) : Optional.empty())) {
      all.add(resetBeforeTheWait(mutant));
    }
    return all;
  }

  private static boolean isPeerFlag(Instruction i) {
    return i.name().startsWith("st.release.sys") || i.name().startsWith("ld.acquire.sys");
  }

  /** Whether an instruction writes a constant to global memory. */
  private static boolean isReset(Instruction i) {
    return i.name().equals("st.global.b32") && i.operands().getLast() instanceof Operand.Integer;
  }

  private static Optional<List<Statement>> replacing(Instruction i, String modifier, String other) {
    return Optional.of(List.of(new Instruction(i.guard(), i.opcode(),
        i.modifiers().stream().map(m -> m.equals(modifier) ? other : m).toList(), i.operands(), i.line())));
  }

  /** The value that a wait is for, instead of the flag that it reads. */
  private static Instruction passing(PtxModule module, Instruction wait) {
    var comparison = module.functions().stream().flatMap(f -> f.body().orElse(List.of()).stream())
        .filter(Instruction.class::isInstance).map(Instruction.class::cast)
        .filter(i -> i.opcode().equals("setp") && i.operands().get(1).equals(wait.operands().getFirst()))
        .findFirst().orElseThrow();
    return Instruction.of("mov.b32", wait.operands().getFirst(), comparison.operands().get(2));
  }

  private static Mutant resetBeforeTheWait(Mutant removed) {
    var body = removed.function().body().orElseThrow();
    int from = removed.replacements().keySet().iterator().next();
    int to = IntStream.iterate(from, i -> i - 1).filter(i -> body.get(i) instanceof Instruction wait
        && wait.name().startsWith("ld.acquire.sys")).findFirst().orElseThrow();
    return new Mutant(removed.change().replaceFirst("removed", "too early"), removed.original(), removed.function(),
        Map.of(from, List.of(), to, List.of(body.get(from), body.get(to))));
  }

  /** Kernels that expect sixteen bytes more or fewer on one barrier. */
  public static List<Mutant> withOtherBytes(PtxModule module) {
    var all = new ArrayList<Mutant>();
    for (long change : new long[] {-16, 16}) {
      all.addAll(mutants(module, "changed by " + change, i -> i.name().contains("expect_tx")
          && i.operands().getLast() instanceof Operand.Integer(long bytes)
          ? Optional.of(List.of(new Instruction(i.guard(), i.opcode(), i.modifiers(),
              List.of(i.operands().get(0), i.operands().get(1), new Operand.Integer(bytes + change)), i.line())))
          : Optional.empty()));
    }
    return all;
  }

  /**
   * Kernels in which one wait for the stream's earlier kernels is missing, or comes behind the first access to global
   * memory that follows it.
   */
  public static List<Mutant> withALateGridWait(PtxModule module) {
    var missing = mutants(module, "removed", i -> i.name().equals("griddepcontrol.wait") ? Optional.of(List.of())
        : Optional.empty());
    var all = new ArrayList<>(missing);
    for (var mutant : missing) postponed(mutant).ifPresent(all::add);
    return all;
  }

  private static Optional<Mutant> postponed(Mutant removed) {
    var body = removed.function().body().orElseThrow();
    int from = removed.replacements().keySet().iterator().next();
    return IntStream.range(from + 1, body.size()).boxed()
        .filter(i -> body.get(i) instanceof Instruction access && accessesGlobalMemory(access)).findFirst()
        .map(to -> new Mutant(removed.change().replaceFirst("removed", "postponed"), removed.original(),
            removed.function(), Map.of(from, List.of(), to, List.of(body.get(to), body.get(from)))));
  }

  private static boolean accessesGlobalMemory(Instruction i) {
    return i.has("global") && List.of("ld", "st", "atom", "red", "cp").contains(i.opcode()) && !i.has("prefetch");
  }

  private static List<Mutant> mutants(PtxModule module, String verb,
      Function<Instruction, Optional<List<Statement>>> change) {
    var mutants = new ArrayList<Mutant>();
    for (var function : module.functions()) {
      var body = function.body().orElse(List.of());
      for (int at = 0; at < body.size(); at++) {
        if (!(body.get(at) instanceof Instruction instruction)) continue;
        var replacement = change.apply(instruction);
        if (replacement.isEmpty()) continue;
        var where = instruction.line() > 0 ? "line " + instruction.line()
            : "statement " + at + " of " + function.name();
        mutants.add(new Mutant(verb + " " + where + ": " + PtxPrinter.print(instruction), module, function,
            Map.of(at, replacement.get())));
      }
    }
    return mutants;
  }
}
