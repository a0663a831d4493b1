package tilewright.verification.budget;

import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tilewright.kernel.Warp;
import tilewright.ptx.Instruction;
import tilewright.ptx.Launch;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxParser;
import tilewright.simulator.Profile;
import tilewright.simulator.Program;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** Counts what a launch does, instruction by instruction, as the simulator executes it. */
final class KernelCounts {
  private static final int WARPS_OF_WGMMA = 4;
  private static final int BYTES_A_TURN = 128;
  private static final int SECTOR = 32;
  private static final Pattern REPEATS = Pattern.compile("(32x32b|16x64b|16x128b|16x256b|16x32bx2)\\.x(\\d+)");

  private final Map<Amount, Double> amounts = new EnumMap<>(Amount.class);

  private KernelCounts() {}

  /** A kernel that launches of different sizes share, loaded once. */
  static final class Loaded {
    private String ptx = "";
    private Program program;
    private Map<Integer, Instruction> instructions = Map.of();

    /**
     * Counts the work of all CTAs of a launch, which run one after the other.
     *
     * @throws IllegalStateException if the simulator finds fault with it
     */
    Counts of(Launch launch) {
      if (!ptx.equals(launch.ptx())) {
        ptx = launch.ptx();
        var module = PtxParser.parse(ptx);
        program = Simulator.load(module);
        instructions = instructions(module);
      }
      var result = program.run(launch, SimulatorOptions.defaults().withProfile(true).withThreads(1));
      if (!result.ok()) throw new IllegalStateException(launch.entry() + " fails: " + result.findings().getFirst());
      return counts(instructions, result.profile().orElseThrow());
    }
  }

  /** The instructions of a module that was read, by line. */
  private static Map<Integer, Instruction> instructions(PtxModule module) {
    var byLine = new HashMap<Integer, Instruction>();
    for (var function : module.functions()) {
      for (var statement : function.body().orElseThrow()) {
        if (statement instanceof Instruction i) byLine.put(i.line(), i);
      }
    }
    var last = lastOperands(byLine.values());
    byLine.replaceAll((_, i) -> MmaShape.withKnownDescriptor(i, last));
    return byLine;
  }

  /** The last operands of the instructions that write registers, by register. */
  private static Map<Operand, Operand> lastOperands(Collection<Instruction> instructions) {
    return instructions.stream()
        .filter(i -> i.operands().size() > 1 && i.operands().getFirst() instanceof Operand.Register)
        .collect(Collectors.toMap(i -> i.operands().getFirst(), i -> i.operands().getLast(), (first, _) -> first));
  }

  private static Counts counts(Map<Integer, Instruction> instructions, Profile profile) {
    var counts = new KernelCounts();
    for (var e : profile.executions()) counts.executed(instructions.get(e.line()), e.warps(), e.threads());
    for (var b : profile.sharedAccesses()) counts.add(Amount.THREAD_BYTES, (double) BYTES_A_TURN * b.wavefronts());
    for (var g : profile.globalAccesses()) counts.add(Amount.GLOBAL_BYTES, (double) SECTOR * g.sectors());
    for (var b : profile.bulk()) {
      counts.add(Amount.COPIED_BYTES, b.received() + b.stored());
      counts.add(Amount.GLOBAL_BYTES, b.loaded() + b.stored());
    }
    return new Counts(counts.amounts);
  }

  private void add(Amount amount, double count) {
    amounts.merge(amount, count, Double::sum);
  }

  private void executed(Instruction i, long warps, long threads) {
    if (isFree(i)) return;
    add(Amount.INSTRUCTIONS, warps);
    switch (i.opcode()) {
      case "wgmma" -> {
        if (i.has("mma_async")) multiplied(MmaShape.of(i), (double) warps / WARPS_OF_WGMMA);
      }
      case "mma" -> add(Amount.TENSOR_OPERATIONS, warps * MmaShape.of(i).operations());
      case "tcgen05" -> tensor(i, warps, threads);
      case "ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh" -> add(Amount.EXPONENTIALS, threads);
      case "add", "sub", "mul", "fma", "mad" -> arithmetic(i, threads);
      case "min", "max", "cvt", "setp", "set", "selp", "and", "or", "xor", "not", "shl", "shr", "lop3", "prmt", "bfe",
          "bfi", "neg", "abs", "shf" -> add(Amount.INTEGER, threads);
      case "shfl" -> add(Amount.THREAD_BYTES, (double) BYTES_A_TURN * warps);
      case "mbarrier" -> {
        if (i.has("arrive")) add(Amount.SIGNALS, threads);
        if (i.modifiers().getFirst().contains("wait")) add(Amount.WAITS, warps);
      }
      case "bar", "barrier" -> add(Amount.WAITS, warps);
      default -> {}
    }
  }

  /** Whether an instruction usually assembles to nothing: moves, address conversions, loads of parameters. */
  private static boolean isFree(Instruction i) {
    return i.opcode().equals("mov") || i.opcode().equals("cvta") || i.opcode().equals("ld") && i.has("param");
  }

  /** Pairs count twice: an SM adds as many numbers in a cycle whether they come in pairs or not. */
  private void arithmetic(Instruction i, long threads) {
    if (i.has("f32x2")) {
      add(Amount.FMA, 2.0 * threads);
    } else if (i.has("f32") || i.has("f16x2") || i.has("bf16x2")) {
      add(Amount.FMA, threads);
    } else {
      add(Amount.INTEGER, threads);
    }
  }

  private void tensor(Instruction i, long warps, long threads) {
    switch (i.modifiers().getFirst()) {
      case "mma" -> multiplied(MmaShape.of(i), threads);
      case "ld" -> add(Amount.TENSOR_MEMORY_READ, warps * moved(i));
      case "st" -> add(Amount.TENSOR_MEMORY_WRITTEN, warps * moved(i));
      case "commit" -> add(Amount.SIGNALS, threads);
      default -> {}
    }
  }

  private void multiplied(MmaShape shape, double times) {
    add(Amount.TENSOR_OPERATIONS, times * shape.operations());
    add(Amount.OPERAND_BYTES, times * shape.sharedBytes());
    add(Amount.TENSOR_MEMORY_READ, times * shape.tensorMemoryBytes());
  }

  /** Bytes of a warp's registers. */
  private static double moved(Instruction i) {
    var shape = REPEATS.matcher(i.name());
    if (!shape.find()) throw new IllegalArgumentException("no shape in " + i.name());
    int each = switch (shape.group(1)) {
      case "16x128b" -> 2;
      case "16x256b" -> 4;
      default -> 1;
    };
    return (double) each * Integer.parseInt(shape.group(2)) * Warp.SIZE * Integer.BYTES;
  }
}
