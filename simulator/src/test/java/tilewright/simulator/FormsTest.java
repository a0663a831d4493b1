package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/**
 * Every form of every instruction that ptxas 13 assembles for sm_80 loads, except those named here. The resource has
 * one a line: all combinations of modifiers and types that were tried and accepted.
 */
class FormsTest {
  private static final int BATCH = 100;
  private static final String HEAD = """
      .version 8.7
      .target sm_80
      .address_size 64
      .visible .entry k(.param .u64 arg0)
      {
      .reg .b64 %l<16>; .reg .b32 %r<64>; .reg .b16 %h<16>; .reg .f32 %f<32>; .reg .f64 %d<16>; .reg .pred %q<16>;
      .reg .b128 %x<5>;
      """;
  /** Scalar video instructions. */
  private static final Set<String> VIDEO =
      Set.of("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset", "vmad", "vshl", "vshr");

  private static List<String> forms() throws IOException {
    try (var in = new GZIPInputStream(FormsTest.class.getResourceAsStream("forms.txt.gz"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private static List<String> refused(List<String> forms) {
    try {
      // A branch around each form keeps what ends the thread from ending the others.
      var body = new StringBuilder();
      for (int i = 0; i < forms.size(); i++) {
        body.append("@%q15 bra S").append(i).append(";\n").append(forms.get(i)).append("\nS").append(i).append(":\n");
      }
      Simulator.load(HEAD + body + "ret;\n}\n");
      return List.of();
    } catch (UnsupportedPtxException e) {
      return e.problems().stream().map(UnsupportedPtxException.Problem::text).toList();
    }
  }

  private static boolean known(String form) {
    var name = form.split(" ")[0].replace(";", "");
    boolean directed = name.matches(".*m8n8k4\\..*r[zmp]\\.f64.*");
    boolean volta = name.matches("mma\\.sync\\.aligned\\.m8n8k4\\..*f16.*");
    return VIDEO.contains(name.split("\\.")[0]) || directed || volta;
  }

  @Test
  void everyFormLoadsButTheKnownOnes() throws IOException {
    var forms = forms();
    assertEquals(3467, forms.size());
    var refused = new ArrayList<String>();
    for (int i = 0; i < forms.size(); i += BATCH) {
      refused.addAll(refused(forms.subList(i, Math.min(forms.size(), i + BATCH))));
    }
    assertEquals(Set.of(), refused.stream().filter(f -> !known(f)).collect(Collectors.toCollection(TreeSet::new)));
    assertEquals(forms.stream().filter(FormsTest::known).count(), refused.size());
  }
}
