package tilewright.simulator.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.simulator.SimulatorOptions;

/** Kernels that copy by tensor maps leave what they left on an H200. */
class RecordedCopiesTest {
  /** Of each stored-to tensor. */
  private static final int STRIDE = 16384;
  private static final int VALUES = 4096;

  @Test
  void loads() {
    var lines = Resources.lines("loads.txt");
    var recorded = Resources.summed(Resources.bytes("loads.bin.gz"));
    var tensors = Resources.words(1 << 17, 1, 0);
    var kernel = TmaKernel.loads("sm_90a");
    for (int begin = 0; begin < lines.size(); begin += TmaKernel.MOST_CASES) {
      var cases = lines.subList(begin, Math.min(lines.size(), begin + TmaKernel.MOST_CASES)).stream()
          .map(TmaCase::parse).toList();
      var out = new byte[TmaKernel.IMAGE * cases.size()];
      assertEquals(List.of(), kernel.load(cases, tensors, out, SimulatorOptions.defaults()).findings());
      agree(Arrays.copyOfRange(recorded, begin * TmaKernel.IMAGE, begin * TmaKernel.IMAGE + out.length), out,
          TmaKernel.IMAGE, cases);
    }
  }

  /**
   * Each line has the case's number when it was recorded, which its tensor's first contents depend on; recorded is the
   * exclusive or with these.
   */
  @ParameterizedTest
  @ValueSource(strings = {"stores", "reductions", "slicestores"})
  void stores(String name) {
    var lines = Resources.lines(name + ".txt");
    var recorded = Resources.bytes(name + ".bin.gz");
    var kernel = TmaKernel.stores("sm_90a");
    for (int begin = 0; begin < lines.size(); begin += TmaKernel.MOST_CASES) {
      int end = Math.min(lines.size(), begin + TmaKernel.MOST_CASES);
      var tensors = new byte[(end - begin) * STRIDE];
      var cases = new ArrayList<TmaCase>();
      for (var line : lines.subList(begin, end)) {
        var parts = line.split(" ");
        var first = Resources.words(STRIDE, 40503, 7 + 40503 * Integer.parseInt(parts[0]) * STRIDE / 2);
        System.arraycopy(first, 0, tensors, cases.size() * STRIDE, STRIDE);
        cases.add(TmaCase.parse(parts[1]));
      }
      var expected = Arrays.copyOfRange(recorded, begin * STRIDE, end * STRIDE);
      for (int i = 0; i < expected.length; i++) expected[i] ^= tensors[i];
      var shared = Resources.words(TmaKernel.REGION, 1, 0);
      assertEquals(List.of(), kernel.store(cases, shared, tensors, STRIDE, SimulatorOptions.defaults()).findings());
      agree(expected, tensors, STRIDE, cases);
    }
  }

  /** Recorded without the word that says whether the mbarrier was told of all bytes: it was given too many. */
  @Test
  void loadsOfInterleavedSlices() {
    var cases = Resources.lines("slices.txt").stream().map(TmaCase::parse).toList();
    var out = new byte[TmaKernel.IMAGE * cases.size()];
    var tensors = Resources.words(1 << 17, 1, 0);
    var result = TmaKernel.loads("sm_90a").load(cases, tensors, out, SimulatorOptions.defaults());
    assertEquals(List.of(), result.findings());
    for (int k = 0; k < cases.size(); k++) {
      assertEquals(1, out[TmaKernel.IMAGE * k + TmaKernel.REGION], "whether all bytes came, case " + k);
      Arrays.fill(out, TmaKernel.IMAGE * k + TmaKernel.REGION, TmaKernel.IMAGE * (k + 1), (byte) 0);
    }
    agree(Resources.summed(Resources.bytes("slices.bin.gz")), out, TmaKernel.IMAGE, cases);
  }

  /** Special values and ties, which loads of TF32 round; recorded is the exclusive or with them. */
  @Test
  void loadsOfSpecialValues() {
    var cases = Resources.lines("values.txt").stream().map(TmaCase::parse).toList();
    var recorded = Resources.bytes("values.bin.gz");
    var values = Arrays.copyOf(recorded, VALUES);
    var out = new byte[TmaKernel.IMAGE * cases.size()];
    var result = TmaKernel.loads("sm_90a").load(cases, values, out, SimulatorOptions.defaults());
    assertEquals(List.of(), result.findings());
    for (int k = 0; k < cases.size(); k++) {
      var expected = Arrays.copyOfRange(recorded, VALUES * (k + 1), VALUES * (k + 2));
      for (int i = 0; i < VALUES; i++) expected[i] ^= values[i];
      agree(expected, Arrays.copyOfRange(out, TmaKernel.IMAGE * k, TmaKernel.IMAGE * k + VALUES), VALUES,
          cases.subList(k, k + 1));
    }
  }

  /** Sums and extrema of special values with each other. */
  @Test
  void reductionsOfSpecialValues() {
    var cases = Resources.lines("sums.txt").stream().map(TmaCase::parse).toList();
    var recorded = Resources.bytes("sums.bin.gz");
    var values = Arrays.copyOf(Resources.bytes("values.bin.gz"), VALUES);
    var tensors = new byte[VALUES * cases.size()];
    for (int k = 0; k < cases.size(); k++) System.arraycopy(recorded, 0, tensors, VALUES * k, VALUES);
    var shared = Arrays.copyOf(values, TmaKernel.REGION);
    var result = TmaKernel.stores("sm_90a").store(cases, shared, tensors, VALUES, SimulatorOptions.defaults());
    assertEquals(List.of(), result.findings());
    agree(Arrays.copyOfRange(recorded, VALUES, recorded.length), tensors, VALUES, cases);
  }

  private static void agree(byte[] expected, byte[] actual, int bytesOfCase, List<TmaCase> cases) {
    int first = Arrays.mismatch(expected, actual);
    if (first < 0) return;
    long wrong = IntStream.range(0, cases.size()).filter(k -> !Arrays.equals(expected, bytesOfCase * k,
        bytesOfCase * (k + 1), actual, bytesOfCase * k, bytesOfCase * (k + 1))).count();
    assertEquals(expected[first], actual[first], "byte " + first % bytesOfCase + " of "
        + cases.get(first / bytesOfCase) + "; " + wrong + " cases differ");
  }
}
