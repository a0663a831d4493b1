package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.PtxParser;

/**
 * Every form of every instruction that ptxas 13 assembles loads, except those named here. A resource for each target
 * has one form a line: all combinations of modifiers and types that were tried, accepted, and are not in the lists
 * before it.
 */
class FormsTest {
  private static final int BATCH = 100;
  private static final String HEAD = """
      .version 9.0
      .target %s
      .address_size 64
      .extern .shared .align 1024 .b8 smem[];
      .visible .entry k(.param .u64 arg0, .param .align 64 .b8 map[128])
      {
      .reg .b64 %%l<16>; .reg .b32 %%r<140>; .reg .b16 %%h<8>; .reg .f32 %%f<300>; .reg .f64 %%d<40>;
      .reg .pred %%q<16>; .reg .b128 %%x<5>; .reg .b8 %%b<4>;
      """;
  /** Which lane holds which byte is not known well enough without an SM100. */
  private static final Pattern BYTE_MATRICES = Pattern.compile("(ldmatrix.*m16n16|stmatrix.*m16n8)\\..*");

  private static List<String> forms(String target) throws IOException {
    try (var in = new GZIPInputStream(FormsTest.class.getResourceAsStream("forms." + target + ".txt.gz"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private static String module(String target, List<String> forms) {
    // A branch around each form keeps what ends the thread from ending the others.
    var body = new StringBuilder();
    for (int i = 0; i < forms.size(); i++) {
      body.append("@%q15 bra S").append(i).append(";\n").append(forms.get(i)).append("\nS").append(i).append(":\n");
    }
    return HEAD.formatted(target) + body + "ret;\n}\n";
  }

  private static List<String> refused(String target, List<String> forms) {
    try {
      Simulator.load(module(target, forms));
      return List.of();
    } catch (UnsupportedPtxException e) {
      return e.problems().stream().map(UnsupportedPtxException.Problem::text).toList();
    }
  }

  private static boolean known(String form) {
    var name = form.split(" ")[0].replace(";", "");
    return BYTE_MATRICES.matcher(name).matches();
  }

  private static List<String> refused(String target) throws IOException {
    var forms = forms(target);
    var refused = new ArrayList<String>();
    for (int i = 0; i < forms.size(); i += BATCH) {
      refused.addAll(refused(target, forms.subList(i, Math.min(forms.size(), i + BATCH))));
    }
    return refused;
  }

  @ParameterizedTest
  @ValueSource(strings = {"sm_80", "sm_90a", "sm_100a", "sm_120a"})
  void everyFormLoadsButTheKnownOnes(String target) throws IOException {
    var refused = refused(target);
    assertEquals(Set.of(), refused.stream().filter(f -> !known(f)).collect(Collectors.toCollection(TreeSet::new)));
    assertEquals(forms(target).stream().filter(FormsTest::known).count(), refused.size());
  }

  @ParameterizedTest
  @CsvSource({"sm_80,3467", "sm_90a,2769", "sm_100a,1481", "sm_120a,4"})
  void everyFormOfEveryTargetParses(String target, int count) throws IOException {
    var forms = forms(target);
    assertEquals(count, forms.size());
    PtxParser.parse(module(target, forms));
  }
}
