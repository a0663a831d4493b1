package tilewright.simulator.oracle;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.PtxParser;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** One random program, run by the interpreter and by the simulator on the same operands. */
record Trial(long seed) {

  /** What differs, with the smallest program that still differs, or nothing. */
  Optional<String> difference() {
    var body = RandomProgram.body(seed);
    return difference(body).map(text -> {
      var least = shrunk(body);
      return "seed " + seed + ": " + text + "\nleast program: " + difference(least).orElseThrow() + "\n"
          + String.join("\n", least);
    });
  }

  private Optional<String> difference(List<String> body) {
    var ptx = RandomProgram.ptx(body);
    byte[] expected = operands();
    var interpreter = new Interpreter(PtxParser.parse(ptx));
    interpreter.argument("in", operands());
    interpreter.argument("out", expected);
    interpreter.run("k", RandomProgram.THREADS);
    byte[] actual = operands();
    var buffers = new LinkedHashMap<String, MemorySegment>();
    buffers.put("in", MemorySegment.ofArray(operands()));
    buffers.put("out", MemorySegment.ofArray(actual));
    var launch = new Launch(ptx, "k", Dim3.ONE, Dim3.of(RandomProgram.THREADS), Dim3.ONE, 0, buffers,
        List.of(new Launch.Argument.Buffer("in"), new Launch.Argument.Buffer("out")));
    var result = Simulator.load(ptx).run(launch, SimulatorOptions.defaults());
    if (!result.ok()) return Optional.of("the simulator finds " + result.findings());
    int at = Arrays.mismatch(actual, expected);
    int slot = RandomProgram.slotBytes();
    return at < 0 ? Optional.empty() : Optional.of("thread %d, byte %d of its slot: simulator %02x, definition %02x"
        .formatted(at / slot, at % slot, actual[at], expected[at]));
  }

  /** Leaves out whatever can go while a difference stays. */
  private List<String> shrunk(List<String> whole) {
    var body = new ArrayList<>(whole);
    for (int size = body.size() / 2; size > 0; size = size == 1 ? 0 : size / 2) {
      for (int from = body.size() - size; from >= 0; from--) {
        if (from + size > body.size()) continue;
        var less = new ArrayList<>(body);
        less.subList(from, from + size).clear();
        if (differs(less)) body = less;
      }
    }
    return body;
  }

  private boolean differs(List<String> body) {
    try {
      return difference(body).isPresent();
    } catch (RuntimeException _) {
      // A program that lost a label is none.
      return false;
    }
  }

  /** Slots of registers whose kinds take turns as in {@link RandomProgram}, edges among them. */
  private byte[] operands() {
    var random = new Random(seed);
    var values = java.nio.ByteBuffer.wrap(OperandValues.bytes()).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    var bytes = java.nio.ByteBuffer.allocate(RandomProgram.THREADS * RandomProgram.slotBytes())
        .order(java.nio.ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      int place = bytes.position() % RandomProgram.slotBytes() / Long.BYTES;
      bytes.putLong(values.getLong(OperandValues.offset(kind(place, random), random.nextInt(3))
          + random.nextInt(OperandValues.COUNT) * Long.BYTES));
    }
    return bytes.array();
  }

  private static OperandType kind(int place, Random random) {
    return switch (place / 6) {
      case 0 -> random.nextBoolean() ? OperandType.F16 : OperandType.BF16;
      case 1 -> random.nextBoolean() ? OperandType.U32 : OperandType.F32;
      case 2 -> OperandType.U64;
      case 3 -> OperandType.F32;
      default -> OperandType.U32;
    };
  }
}
