package tilewright.simulator.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntToLongFunction;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.oracle.Forms.Form;

/** Every instruction form of the resources on operands rich in edges: simulator, definition and an H200 agree. */
class FormsTest {
  private static final int COUNT = OperandValues.COUNT;
  private static final int RECORDED = 256;
  private static final List<Form> FORMS = Forms.all();
  private static final int WITH_RECORDS = Forms.recorded().size();
  private static final ByteBuffer OPERANDS =
      ByteBuffer.wrap(OperandValues.bytes()).order(ByteOrder.LITTLE_ENDIAN);
  /** Approximations that are the hardware's own bits. */
  private static final Pattern MODELLED = Pattern.compile("((rcp|sqrt|rsqrt|ex2|lg2|sin|cos|tanh)\\.approx.*f32"
      + "|(rcp|rsqrt)\\.approx.*f64"
      + "|div\\.(approx|full).*f32|(ex2|tanh)\\.approx.*f16(x2)?) .*");
  private static List<Form> exact;
  private static LongBuffer simulated;
  private static LongBuffer recorded;

  @BeforeAll
  static void run() throws IOException {
    exact = FORMS.stream().filter(f -> Oracle.defines(f.opcode(), f.modifiers())
        || f.opcode().startsWith("v") || MODELLED.matcher(f.text()).matches()).toList();
    simulated = simulate(exact);
    var bytes = new ByteArrayOutputStream();
    for (var name : List.of("forms", "forms.sm_90")) {
      try (var in = new GZIPInputStream(FormsTest.class.getResourceAsStream(name + ".h200.bin.gz"))) {
        in.transferTo(bytes);
      }
    }
    recorded = ByteBuffer.wrap(bytes.toByteArray()).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
  }

  @Test
  void everyFormGivesWhatItsDefinitionSays() {
    check(COUNT / 4, f -> Oracle.defines(f.opcode(), f.modifiers()), form -> i -> defined(form, i));
  }

  @Test
  void everyFormGivesWhatAnH200Gave() {
    check(RECORDED, f -> FORMS.indexOf(f) < WITH_RECORDS, form -> {
      int first = FORMS.indexOf(form) * RECORDED;
      return i -> recorded.get(first + i);
    });
  }

  private static void check(int count, Predicate<Form> checked, Function<Form, IntToLongFunction> expected) {
    var failures = IntStream.range(0, exact.size()).filter(f -> checked.test(exact.get(f))).mapToObj(f ->
        difference(exact.get(f), count, i -> simulated.get(f * COUNT + i), expected.apply(exact.get(f))))
        .flatMap(Optional::stream).toList();
    assertEquals(List.of(), failures);
  }

  private static Optional<String> difference(Form form, int count, IntToLongFunction actual,
      IntToLongFunction expected) {
    int[] wrong = IntStream.range(0, count).filter(i -> actual.applyAsLong(i) != expected.applyAsLong(i)).toArray();
    if (wrong.length == 0) return Optional.empty();
    var text = new StringBuilder(form.text() + ": " + wrong.length + " wrong");
    for (int i : IntStream.of(wrong).limit(3).toArray()) {
      text.append("; ");
      for (long x : operands(form, i)) text.append(Long.toHexString(x)).append(' ');
      text.append("-> ").append(Long.toHexString(actual.applyAsLong(i))).append(" not ")
          .append(Long.toHexString(expected.applyAsLong(i)));
    }
    return Optional.of(text.toString());
  }

  private static long[] operands(Form form, int i) {
    return IntStream.range(0, form.operands().size())
        .mapToLong(o -> OPERANDS.getLong(OperandValues.offset(form.operands().get(o), o) + i * Long.BYTES)).toArray();
  }

  private static long defined(Form form, int i) {
    long result = Oracle.apply(form.opcode(), form.modifiers(), form.complete(operands(form, i)));
    return form.result().bits == 64 ? result : result & (1L << form.result().bits) - 1;
  }

  static LongBuffer simulate(List<Form> forms) {
    var ptx = Forms.ptx("sm_100a", forms);
    var out = new byte[forms.size() * COUNT * Long.BYTES];
    var buffers = new LinkedHashMap<String, MemorySegment>();
    buffers.put("in", MemorySegment.ofArray(OperandValues.bytes()));
    buffers.put("out", MemorySegment.ofArray(out));
    var launch = new Launch(ptx, "k", Dim3.of(COUNT / 128), Dim3.of(128), Dim3.ONE, 0, buffers,
        List.of(new Launch.Argument.Buffer("in"), new Launch.Argument.Buffer("out")));
    assertEquals(List.of(), Simulator.load(ptx).run(launch, SimulatorOptions.defaults()).findings());
    return ByteBuffer.wrap(out).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
  }
}
