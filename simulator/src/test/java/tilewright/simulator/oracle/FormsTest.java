package tilewright.simulator.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.oracle.Forms.Form;

/** Every instruction form of forms.txt on operands rich in edges against its definition. */
class FormsTest {
  private static final int COUNT = OperandValues.COUNT;

  @Test
  void everyFormGivesWhatItsDefinitionSays() {
    var forms = Forms.all().stream().filter(f -> Oracle.defines(f.modifiers())).toList();
    if (System.getProperty("dev") != null) forms = drop(forms);
    var operands = ByteBuffer.wrap(OperandValues.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    var results = simulate(forms);
    var failures = new ArrayList<String>();
    for (int f = 0; f < forms.size(); f++) {
      int base = f * COUNT;
      var form = forms.get(f);
      var wrong = IntStream.range(0, COUNT).filter(i -> results.get(base + i) != expected(form, operands, i)).toArray();
      if (wrong.length > 0) failures.add(describe(form, operands, wrong, results, base));
    }
    assertEquals(List.of(), failures);
  }

  static List<Form> drop(List<Form> forms) {
    try { Simulator.load(Forms.ptx(forms)); return forms; } catch (tilewright.simulator.UnsupportedPtxException e) {
      var lines = Forms.ptx(forms).lines().toList();
      var bad = new java.util.HashSet<Form>();
      for (var p : e.problems()) { System.out.println(p.text()+" "+p.reason()); 
        for (var f : forms) if (lines.get(p.line()-1).contains(f.text().replaceAll("\\$", ""))) bad.add(f); }
      return drop(forms.stream().filter(f -> !bad.contains(f)).toList());
    }
  }

  private static String describe(Form form, ByteBuffer operands, int[] wrong, java.nio.LongBuffer results, int base) {
    var text = new StringBuilder(form.text() + ": " + wrong.length + " wrong");
    for (int i : IntStream.of(wrong).limit(3).toArray()) {
      text.append("; ");
      for (long x : operands(form, operands, i)) text.append(Long.toHexString(x)).append(' ');
      text.append("-> ").append(Long.toHexString(results.get(base + i))).append(" not ")
          .append(Long.toHexString(expected(form, operands, i)));
    }
    return text.append('\n').toString();
  }

  private static long[] operands(Form form, ByteBuffer operands, int i) {
    return IntStream.range(0, form.operands().size())
        .mapToLong(o -> operands.getLong(OperandValues.offset(form.operands().get(o), o) + i * Long.BYTES)).toArray();
  }

  static long expected(Form form, ByteBuffer operands, int i) {
    long result = Oracle.apply(form.opcode(), form.modifiers(), form.complete(operands(form, operands, i)));
    return form.result().bits == 64 ? result : result & (1L << form.result().bits) - 1;
  }

  static java.nio.LongBuffer simulate(List<Form> forms) {
    var ptx = Forms.ptx(forms);
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
