package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.KernelConfiguration;
import tools.jackson.databind.json.JsonMapper;

/** Checks that the settings found for a record measure it again. */
class RecordedSettingsTest {
  private static final KernelRegistry REGISTRY = KernelRegistry.builtIn();

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "sm90_gemm|16x4096x7168 TN bf16->bf16 64x16x64 consumers 1 cluster 1x1x2 transposed"
          + "|dtype=bf16, order=TN, out=bf16, shape=16x4096x7168",
      "sm90_gemm|1x8x16 TN bf16->f16 64x16x128 consumers 1 band 32 transposed weights ahead"
          + "|dtype=bf16, order=TN, out=f16, shape=1x8x16, weights=ahead",
      "sm90_gemm|8x8x8 TN bf16->bf16 128x256x64 consumers 2 band 8 epilogue bias_gelu"
          + "|dtype=bf16, epilogue=bias_gelu, k=8, m=8, n=8, order=TN, out=bf16",
      "sm90_gemm|8x8x16 TN e4m3->bf16 exact 128x256x128 consumers 2"
          + "|accumulation=exact, dtype=e4m3, order=TN, out=bf16, shape=8x8x16",
      "sm90_gemm|8x8x16 TN f16->f16 acc=f16 256x256x64 consumers 2"
          + "|acc=f16, dtype=f16, order=TN, out=f16, shape=8x8x16",
      "sm90_mixed_gemm|8x8x16 TN i4*bf16->bf16 scaled 128x256x64"
          + "|accumulation=scaled, dtype=i4, dtypeb=bf16, order=TN, out=bf16, shape=8x8x16",
      "sm80_gemm|8x8x16 NT f16->f32 128x256x64 warps 2x4 stages 3 vec 8,8,4 fit"
          + "|order=NT, shape=8x8x16",
      "sm90_grouped_gemm|64x8x16 e4m3->bf16 8 groups masked"
          + "|dtype=e4m3, grouping=masked, k=16, m=64, n=8, out=bf16",
      "sm90_ladder|8x8x16 step 10: CTAs stay, stores overlap"
          + "|shape=8x8x16, step=10",
      "sm90_attention|bf16 B=32 S=512 H=32 D=64 causal"
          + "|b=32, causal=true, d=64, dtype=bf16, form=plain, heads=32, s=512",
      "sm90_attention|bf16 B=8 Sq=1 S=2048 H=32 Hk=8 D=64"
          + "|b=8, causal=false, d=64, dtype=bf16, form=plain, heads=32, q=1, s=2048, share=4",
      "sm90_attention|e4m3->f16 B=1 S=32768 H=64 Hk=8 D=128"
          + "|b=1, causal=false, d=128, dtype=e4m3, form=plain, heads=64, out=f16, s=32768, share=8",
      "sm90_attention|e4m3->bf16 B=1 S=2048 H=32 D=64 causal promoted"
          + "|accumulation=promoted, b=1, causal=true, d=64, dtype=e4m3, form=plain, heads=32, out=bf16, s=2048",
      "sm80_attention|bf16 B=1 S<=2048 H=32 D=64 causal varlen"
          + "|causal=true, d=64, dtype=bf16, form=varlen, heads=32, s=2048"})
  void aRowNamesItsSettings(String kernel, String config, String settings) {
    var row = JsonMapper.shared().createObjectNode().put("kernel", kernel).put("config", config);
    var found = RecordedSettings.in(REGISTRY, JsonMapper.shared().createObjectNode().set("rows", row).toString());
    assertEquals(List.of(kernel + " {" + settings + "}"), texts(found));
  }

  @Test
  void aFamilyIsMeasuredAsItWas() {
    var found = RecordedSettings.in(REGISTRY, """
        {"rows": [{"kernel": "add", "config": "n=77 dtype=f16 vec=8 math=single"}]}""");
    assertEquals(List.of("n=77 dtype=f16 vec=8 math=single"),
        found.getFirst().configurations(REGISTRY, false).map(KernelConfiguration::config).toList());
  }

  @Test
  void aProblemWithoutAKernelIsAProduct() {
    var found = RecordedSettings.in(REGISTRY, """
        {"rows": [{"problem": "16x32x64", "types": "e4m3->bf16 scaled"}, {"shape": "16x32x64"},
            {"problem": "m=5"}]}""");
    assertEquals(List.of("sm90_scaled_gemm {accumulation=scaled, dtype=e4m3, order=TN, out=bf16, shape=16x32x64}",
        "sm90_gemm {dtype=bf16, order=TN, out=bf16, shape=16x32x64}"), texts(found));
  }

  /** Rows of the suite's kernels, in the records of this repository. */
  @Test
  void everyRecordLeadsToProblems() throws IOException {
    try (var files = Files.walk(Path.of("..", "docs", "benchmarks"))) {
      for (var file : files.filter(f -> f.toString().matches(".*-h[12]00[.]json")).toList()) {
        for (var settings : RecordedSettings.in(REGISTRY, Files.readString(file))) {
          assertFalse(settings.configurations(REGISTRY, false).toList().isEmpty(), file + ": " + settings);
        }
      }
    }
  }

  private static List<String> texts(List<RecordedSettings> settings) {
    return settings.stream().map(s -> s.kernel() + " " + new TreeMap<>(s.settings())).toList();
  }
}
