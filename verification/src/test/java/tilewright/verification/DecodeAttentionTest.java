package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.decoding.Sm80DecodeAttentionKernel;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;
import tilewright.verification.cases.Buffers;
import tilewright.verification.cases.CachedAttention;

/** SM80 attention of few queries on caches of numbers and of codes. */
class DecodeAttentionTest {
  private static final Sm80DecodeAttentionKernel KERNEL = new Sm80DecodeAttentionKernel();
  private static final Sizes ONE_QUERY = new Sizes(1, 1, 300, 4, 1, 64, 64);
  private static final Serving.Codes CODES = Serving.Codes.perTensor();
  private static final short INFINITE = 0x7F80;
  private static final byte NOT_A_NUMBER = 0x7F;

  private static Map<String, MemorySegment> buffers(Sm80DecodeAttentionKernel kernel, AttentionCases.Setup setup) {
    return Buffers.withWorkspace(kernel.launches(setup.problem()), AttentionCases.buffers(kernel, setup, 11));
  }

  /** Runs on fresh buffers, whose workspace is poisoned. */
  private static Map<String, MemorySegment> run(Sm80DecodeAttentionKernel kernel, AttentionCases.Setup setup,
      Map<String, MemorySegment> buffers, long seed) {
    for (var launch : kernel.launches(setup.problem()).on(buffers)) {
      assertEquals(List.of(), new SimulatorBackend(seed).run(launch).findings());
    }
    return buffers;
  }

  private static Map<String, MemorySegment> run(AttentionCases.Setup setup, long seed) {
    return run(KERNEL, setup, buffers(KERNEL, setup), seed);
  }

  private static void assertTheReferences(AttentionCases.Setup setup, Map<String, MemorySegment> buffers) {
    assertEquals(Optional.empty(),
        AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers).violation());
  }

  /** Conversions by integer arithmetic and by {@code cvt}, in pages of odd rows, with an entry without keys. */
  @ParameterizedTest(name = "sm{0}, {1}")
  @CsvSource({"80, F16", "80, BF16", "89, BF16", "90, F16"})
  void cachesOfCodesAreTheReferences(int capability, ElementType type) {
    var numbers = CachedAttention.used(new Sizes(3, 2, 150, 4, 2, 64, 64), new KeySplits.Ranges(2), Band.CAUSAL, 150, 0,
        77);
    var typed = type == ElementType.BF16 ? numbers : new AttentionCases.Setup("f16", AttentionCases.band(type,
        numbers.problem().sizes(), Band.CAUSAL).problem().with(numbers.problem().serving()), numbers.rules(),
        numbers.queries(), numbers.keys());
    var setup = CachedAttention.paged(CachedAttention.inCodes(typed, Serving.Codes.perHead(2)), 7);
    var kernel = KERNEL.on(capability);
    assertTheReferences(setup, run(kernel, setup, buffers(kernel, setup), capability));
  }

  /** Factors that lie as the rows of a cache do: NaN behind the last key, in pages of odd rows too, and on SM90. */
  @ParameterizedTest(name = "pages of {0} rows, sm{1}, {2}")
  @CsvSource({"0, 80, F16", "7, 80, BF16", "16, 90, BF16"})
  void tokensHaveFactorsOfTheirOwn(int page, int capability, ElementType type) {
    var numbers = CachedAttention.used(new Sizes(3, 2, 150, 4, 2, 64, 64),
        page == 16 ? new KeySplits.Balanced() : new KeySplits.Ranges(2), Band.CAUSAL, 150, 0, 77);
    var typed = type == ElementType.BF16 ? numbers : new AttentionCases.Setup("f16", AttentionCases.band(type,
        numbers.problem().sizes(), Band.CAUSAL).problem().with(numbers.problem().serving()), numbers.rules(),
        numbers.queries(), numbers.keys());
    var setup = CachedAttention.inCodesOfTokens(page > 0 ? CachedAttention.paged(typed, page)
        : CachedAttention.padded(typed));
    var kernel = KERNEL.on(capability);
    assertTheReferences(setup, run(kernel, setup, buffers(kernel, setup), capability));
  }

  @Test
  void factorsOfTokensForOneOfTwoOperandsAreRefused() {
    var whole = Serving.Codes.perTensor();
    var ofTokens = Serving.Codes.perToken(8, 2);
    var refused = assertThrows(IllegalArgumentException.class, () -> new Serving.Codes(ofTokens.k(), whole.v()));
    assertEquals("factors of K are of tokens, and those of V are not: give both for each token", refused.getMessage());
  }

  /** Few rows of a head dimension that is no power of two, which many threads copy. */
  @ParameterizedTest(name = "head dimension {0}")
  @ValueSource(ints = {96, 192})
  void fewRowsAreTheReferences(int dim) {
    var setup = AttentionCases.band(ElementType.BF16, new Sizes(1, 3, 70, 4, 1, dim, dim), Band.CAUSAL);
    assertTheReferences(setup, run(setup, 1));
  }

  /** Each of the 256 codes as the only key's value: O is the value, times its factor. */
  @ParameterizedTest(name = "sm{0}")
  @ValueSource(ints = {80, 89})
  void everyCodeBecomesItsNumber(int capability) {
    var setup = CachedAttention.inCodes(AttentionCases.band(ElementType.BF16, new Sizes(1, 1, 1, 1, 1, 256, 256),
        Band.ALL), CODES);
    var kernel = KERNEL.on(capability);
    var buffers = buffers(kernel, setup);
    for (int code = 0; code < 256; code++) {
      buffers.get("V").set(ValueLayout.JAVA_BYTE, code, (byte) code);
      buffers.get("K").set(ValueLayout.JAVA_BYTE, code, (byte) 0);
    }
    buffers.get("descaleV").set(ValueLayout.JAVA_FLOAT_UNALIGNED, 0, 1);
    run(kernel, setup, buffers, 1);
    for (int code = 0; code < 256; code++) {
      var bits = buffers.get("O").get(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * code) & 0xFFFFL;
      // A sum that begins at 0 has no −0.
      assertEquals(ElementType.E4M3.toDouble(code) + 0.0, ElementType.BF16.toDouble(bits), "code " + code);
    }
  }

  /** Scores of a NaN of K are no numbers, nor is what they weigh; other heads keep theirs. */
  @Test
  void aCodeThatIsNoNumberMakesItsRowsNone() {
    var setup = CachedAttention.inCodes(AttentionCases.band(ElementType.BF16, new Sizes(1, 1, 40, 2, 2, 64, 64),
        Band.ALL), CODES);
    var buffers = buffers(KERNEL, setup);
    buffers.get("K").set(ValueLayout.JAVA_BYTE, 17 * 2 * 64, NOT_A_NUMBER);
    run(KERNEL, setup, buffers, 1);
    for (int column = 0; column < 128; column++) {
      var bits = buffers.get("O").get(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * column) & 0xFFFFL;
      assertEquals(column < 64, Double.isNaN(ElementType.BF16.toDouble(bits)), "column " + column);
    }
  }

  /** Queries beyond the range of f16, to which they are rounded beside codes, and one that is infinite. */
  @Test
  void queriesOfEveryMagnitudeKeepTheirScores() {
    var setup = CachedAttention.inCodes(AttentionCases.band(ElementType.BF16, new Sizes(1, 1, 40, 4, 1, 64, 64),
        Band.ALL), CODES);
    var buffers = buffers(KERNEL, setup);
    var q = buffers.get("Q");
    float[] powers = {0x1p-120f, 0x1p-20f, 1, 0x1p18f};
    for (int i = 0; i < 256; i++) {
      var bits = q.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i) & 0xFFFFL;
      float value = (float) ElementType.BF16.toDouble(bits) * powers[i / 64];
      q.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i, (short) (Float.floatToRawIntBits(value) >>> 16));
    }
    buffers.get("descaleK").set(ValueLayout.JAVA_FLOAT_UNALIGNED, 0, 0x1p-18f);
    assertTheReferences(setup, run(KERNEL, setup, buffers, 1));
    q.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * 255, INFINITE);
    run(KERNEL, setup, buffers, 1);
    var last = buffers.get("O").get(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * 255) & 0xFFFFL;
    assertTrue(Double.isNaN(ElementType.BF16.toDouble(last)));
  }

  /** A longer cache has more splits, all of which are empty, and other entries have other lengths. */
  @Test
  void fixedSplitsDependNeitherOnTheRoomNorOnTheBatch() {
    var alone = run(CachedAttention.used(ONE_QUERY, new KeySplits.Fixed(128), Band.ALL, 300), 1);
    var beside = run(CachedAttention.used(new Sizes(1, 1, 700, 4, 1, 64, 64), new KeySplits.Fixed(128), Band.ALL, 300),
        2);
    assertEquals(-1, alone.get("O").mismatch(beside.get("O")));
    assertEquals(-1, alone.get("LSE").mismatch(beside.get("LSE")));
    var batch = run(CachedAttention.used(new Sizes(3, 1, 300, 4, 1, 64, 64), new KeySplits.Fixed(128), Band.ALL, 300, 5,
        0), 3);
    assertEquals(-1, alone.get("O").mismatch(batch.get("O").asSlice(0, 4 * 64 * 2)));
  }

  @Test
  void oneSplitHasTheBitsOfTheKernelWithoutSplits() {
    var split = run(CachedAttention.used(ONE_QUERY, new KeySplits.Fixed(320), Band.ALL, 233), 1);
    var whole = run(CachedAttention.used(ONE_QUERY, new KeySplits.Ranges(1), Band.ALL, 233), 1);
    assertEquals(-1, split.get("O").mismatch(whole.get("O")));
    assertEquals(-1, split.get("LSE").mismatch(whole.get("LSE")));
  }

  @ParameterizedTest(name = "page {0}")
  @ValueSource(ints = {-1, 11, Integer.MAX_VALUE})
  void numbersThatAreNoPagesStopTheLaunch(int page) {
    var setup = CachedAttention.paged(CachedAttention.used(new Sizes(2, 1, 300, 4, 2, 64, 64), new KeySplits.Ranges(2),
        Band.ALL, 100, 300), 64);
    var buffers = buffers(KERNEL, setup);
    buffers.get("table").set(ValueLayout.JAVA_INT_UNALIGNED, 9 * Integer.BYTES, page);
    var findings = new SimulatorBackend(1).run(KERNEL.launches(setup.problem()).on(buffers).getFirst()).findings();
    assertTrue(findings.size() == 1 && findings.getFirst().contains("executes trap"), findings::toString);
  }

  @Test
  void whatCannotBeDoneIsRefused() {
    var setup = CachedAttention.used(ONE_QUERY, new KeySplits.Fixed(100), Band.ALL, 300);
    assertEquals("splits of 100 keys are no whole blocks: take a multiple of 64",
        assertThrows(IllegalArgumentException.class, () -> KERNEL.launches(setup.problem())).getMessage());
    var codes = CachedAttention.inCodes(setup, CODES).problem();
    assertEquals(Optional.of("a cache of e4m3 beside Q of bf16 needs sm80_decode_attention"),
        AttentionCases.SM90.kernel().refusal(codes));
    assertEquals(AttentionCases.SM90.kernel().refusal(codes), AttentionCases.SM80.kernel().refusal(codes));
    var wide = AttentionCases.band(ElementType.BF16, Sizes.of(1, 1, 10, 1, 264), Band.ALL).problem();
    assertEquals(Optional.of("head dimension 264 is more than 256"), KERNEL.refusal(wide));
    var odd = AttentionCases.band(ElementType.BF16, Sizes.of(1, 1, 10, 1, 40), Band.ALL).problem();
    assertFalse(KERNEL.refusal(odd).isPresent());
    assertEquals(Optional.of("head dimensions, strides and offsets are not multiples of 16 bytes"),
        KERNEL.refusal(odd.with(odd.serving().with(CODES))));
  }
}
