package tilewright.kernel;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tilewright.ptx.Dim3;
import tilewright.ptx.Function;
import tilewright.ptx.Instruction;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.Linkage;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.ptx.Statement;
import tilewright.ptx.Variable;

/** A kernel's declarations: its parameters, registers, source files, launch shape, and how its threads share tiles. */
final class Declarations {
  private static final int MOST_THREADS = 1024;
  private static final int MOST_CTAS = 8;

  private final Map<String, KernelParameter> parameters = new LinkedHashMap<>();
  private final Registers registers = new Registers();
  private final SourceLines lines = new SourceLines();
  private final Printing printing = new Printing();
  /** Extents and integer parameters that are constants of this trace. */
  private final Map<String, Integer> known = new HashMap<>();
  private final Map<String, Partition> partitions = new LinkedHashMap<>();
  private final Set<LaunchFeature> features = EnumSet.noneOf(LaunchFeature.class);
  private final Set<String> ahead = new HashSet<>();
  private final Set<CompiledKernel.Tiling> tilings = new LinkedHashSet<>();
  private final List<Runnable> checks = new ArrayList<>();
  private Optional<Integer> block = Optional.empty();
  private Optional<Integer> resident = Optional.empty();
  private int cluster = 1;

  void block(int threads) {
    if (threads < 1 || threads > MOST_THREADS) {
      throw new TraceException("invalid block of " + threads + " threads: 1 to " + MOST_THREADS);
    }
    block = Optional.of(threads);
  }

  void resident(int blocks) {
    resident = Optional.of(blocks);
  }

  void cluster(int blocks) {
    if (blocks < 1 || blocks > MOST_CTAS) {
      throw new TraceException("invalid cluster of " + blocks + " blocks: 1 to " + MOST_CTAS);
    }
    cluster = blocks;
  }

  void feature(LaunchFeature feature) {
    features.add(feature);
  }

  void ahead(String tensor) {
    ahead.add(tensor);
  }

  void parameter(KernelParameter parameter) {
    var known = parameters.putIfAbsent(parameter.name(), parameter);
    if (known != null && !known.equals(parameter)) {
      throw new TraceException("'" + parameter.name() + "' is declared twice, and not alike: " + known + " and "
          + parameter);
    }
  }

  void know(String name, int value) {
    known.put(name, value);
  }

  Optional<Integer> known(String name) {
    return Optional.ofNullable(known.get(name));
  }

  void partition(Partition partition) {
    partitions.putIfAbsent(partition.toString(), partition);
  }

  void tiling(CompiledKernel.Tiling tiling) {
    tilings.add(tiling);
  }

  void check(Runnable check) {
    checks.add(check);
  }

  /** Runs the checks that waited for the end of the trace. */
  void check(String name) {
    if (block.isEmpty()) {
      throw new TraceException("kernel '" + name + "' never declared its block: call block(threads)");
    }
    checks.forEach(Runnable::run);
  }

  Registers registers() {
    return registers;
  }

  SourceLines lines() {
    return lines;
  }

  Printing printing() {
    return printing;
  }

  /** The kernel with these instructions, for a target. */
  CompiledKernel kernel(String name, Target target, List<Statement> instructions, SharedMemory shared) {
    int threads = block.orElseThrow();
    var head = parameters.values().stream().map(KernelParameter::declaration).toList();
    var directives = new ArrayList<>(List.of(new Function.Directive("maxntid", List.of((long) threads, 1L, 1L))));
    resident.ifPresent(blocks -> directives.add(new Function.Directive("minnctapersm", List.of((long) blocks))));
    var body = new ArrayList<>(registers.declarations());
    body.addAll(printing.memory());
    body.addAll(instructions);
    var items = new ArrayList<>(lines.declarations());
    items.addAll(printing.declarations());
    if (shared.bytes() > 0) items.add(Variable.dynamicShared(SharedMemory.VARIABLE, SharedMemory.ALIGNMENT));
    items.add(new Function(Linkage.VISIBLE, true, List.of(), name, head, directives, Optional.of(body)));
    var module = new PtxModule(target.version(), List.of(target.architecture()), 64, items);
    return new CompiledKernel(name, module, List.copyOf(parameters.values()), Dim3.of(threads), Dim3.of(cluster),
        shared.bytes(), features, ahead, shared.tensors(), List.copyOf(partitions.values()),
        List.copyOf(tilings));
  }

  /** The virtual registers of a kernel, numbered bank by bank. */
  static final class Registers {
    private final Map<PtxType, Integer> counts = new EnumMap<>(PtxType.class);

    /** A fresh register for a value of a type. */
    Operand.Register next(PtxType type) {
      return inBank(bank(type));
    }

    /** A fresh register of a bank. */
    Operand.Register inBank(PtxType bank) {
      int index = counts.merge(bank, 1, Integer::sum) - 1;
      return new Operand.Register(prefix(bank) + index);
    }

    List<Statement> declarations() {
      return counts.entrySet().stream()
          .<Statement>map(e -> new Statement.Registers(e.getKey(), prefix(e.getKey()), e.getValue())).toList();
    }

    private static PtxType bank(PtxType type) {
      return switch (type) {
        case PRED, F32, F64, B128 -> type;
        default -> switch (type.bits()) {
          case 8, 16 -> PtxType.B16;
          case 32 -> PtxType.B32;
          default -> PtxType.B64;
        };
      };
    }

    private static String prefix(PtxType bank) {
      return switch (bank) {
        case PRED -> "%p";
        case F32 -> "%f";
        case F64 -> "%fd";
        case B8 -> "%b";
        case B16 -> "%h";
        case B32 -> "%r";
        case B128 -> "%rq";
        default -> "%rd";
      };
    }
  }

  /** The texts that a kernel prints, and the local memory in which it hands over values (CUDA C++ guide, printf). */
  static final class Printing {
    static final int MOST_VALUES = 32;
    static final Operand.Symbol MEMORY = new Operand.Symbol("printed");
    private static final Operand.Symbol VPRINTF = new Operand.Symbol("vprintf");

    private final Map<String, String> texts = new LinkedHashMap<>();
    private int bytes;

    /** The variable with a text, with {@code valueBytes} of room for its values. */
    Operand.Symbol text(String text, int valueBytes) {
      bytes = Math.max(bytes, Math.max(Long.BYTES, valueBytes));
      return new Operand.Symbol(texts.computeIfAbsent(text, _ -> "text" + texts.size()));
    }

    static Operand.Address place(int offset) {
      return new Operand.Address(MEMORY, offset);
    }

    static Statement call(Operand text, Operand values) {
      var format = new Operand.Symbol("format");
      var memory = new Operand.Symbol("values");
      var length = new Operand.Symbol("length");
      return new Statement.Block(List.of(Variable.parameter(PtxType.B64, "format"),
          Variable.parameter(PtxType.B64, "values"), Variable.parameter(PtxType.B32, "length"),
          Instruction.of("st.param.b64", new Operand.Address(format, 0), text),
          Instruction.of("st.param.b64", new Operand.Address(memory, 0), values),
          Instruction.of("call", new Operand.Group(List.of(length)), VPRINTF,
              new Operand.Group(List.of(format, memory)))));
    }

    List<Statement> memory() {
      return bytes == 0 ? List.of() : List.of(new Variable(Linkage.LOCAL, StateSpace.LOCAL, Long.BYTES, 1, PtxType.B8,
          MEMORY.name(), List.of((long) bytes), List.of()));
    }

    List<PtxModule.ModuleItem> declarations() {
      if (texts.isEmpty()) return List.of();
      var items = new ArrayList<PtxModule.ModuleItem>();
      items.add(new Function(Linkage.EXTERN, false, List.of(Variable.parameter(PtxType.B32, "length")), VPRINTF.name(),
          List.of(Variable.parameter(PtxType.B64, "format"), Variable.parameter(PtxType.B64, "values")), List.of(),
          Optional.empty()));
      texts.forEach((text, name) -> {
        var characters = new ArrayList<Operand>();
        for (byte character : text.getBytes(StandardCharsets.UTF_8)) {
          characters.add(new Operand.Integer(character & 0xFF));
        }
        characters.add(new Operand.Integer(0));
        items.add(new Variable(Linkage.LOCAL, StateSpace.GLOBAL, 1, 1, PtxType.B8, name,
            List.of((long) characters.size()), characters));
      });
      return items;
    }
  }

  /** The kernels' source lines that instructions come from. */
  static final class SourceLines {
    private final Map<String, Integer> files = new LinkedHashMap<>();

    /** The line of the innermost kernel that is being traced, or null. */
    Statement.Location present() {
      return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames -> frames
          .filter(f -> Kernel.class.isAssignableFrom(f.getDeclaringClass())).findFirst()
          .map(f -> new Statement.Location(
              files.computeIfAbsent(f.getFileName(), _ -> files.size() + 1), f.getLineNumber(), 0))
          .orElse(null));
    }

    List<PtxModule.ModuleItem> declarations() {
      return files.entrySet().stream()
          .<PtxModule.ModuleItem>map(e -> new PtxModule.SourceFile(e.getValue(), e.getKey())).toList();
    }
  }
}
