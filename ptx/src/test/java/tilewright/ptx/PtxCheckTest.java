package tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PtxCheckTest {
  private static List<PtxCheck.Finding> check(String version, String target, String statements) {
    return PtxCheck.check(PtxParser.parse(".version " + version + "\n.target " + target + "\n.address_size 64\n"
        + ".extern .shared .b8 smem[];\n.entry k(.param .b64 a)\n{\n"
        + ".reg .b32 %r<10>; .reg .b64 %d<10>; .reg .f32 %f<10>; .reg .b16 %h<10>; .reg .b8 %b; .reg .pred %p<3>;\n"
        + statements + "\n}\n"));
  }

  private static List<String> rules(String statements) {
    return check("9.0", "sm_90a", statements).stream().map(PtxCheck.Finding::rule).toList();
  }

  @Test
  void findingNamesLineTextAndRule() {
    assertEquals(List.of(new PtxCheck.Finding(9, "frobnicate.b32 %r1;", "is no known instruction")),
        check("9.0", "sm_80", "ret;\nfrobnicate.b32 %r1;"));
  }

  @Test
  void namesThatNothingDeclaresAreFoundEverywhereInAnOperand() {
    assertEquals(List.of("uses '%p3', which nothing declares", "uses '%r10', which nothing declares",
        "uses '%q', which nothing declares", "uses 'far', which nothing declares"),
        rules("@%p3 st.shared.v2.b32 [smem+4], {%r10, %q}; bra far;"));
    assertEquals(List.of(), rules("@%p2 st.shared.v2.b32 [smem+4], {%r9, %r0}; bra far; { far: ret; }"));
  }

  @Test
  void registerOfAnInnerBlockIsUnknownOutsideIt() {
    assertEquals(List.of("uses '%x', which nothing declares"),
        rules("{ .reg .b32 %x; neg.s32 %x, %x; } neg.s32 %r1, %x;"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"add.s32 %r1, %r2|has 2 operands, but takes 3",
      "ret %r1|has 1 operands, but takes 0",
      "ld.shared.b32 %r1|has 1 operands, but takes 2 to 3", "cp.async.wait_group|has 0 operands, but takes 1",
      "setp.eq.s32 %p1, %r1|has 2 operands, but takes 3 to 4",
      "shfl.sync.bfly.b32 %r1, %r2, 1|has 3 operands, but takes 4 to 5"})
  void wrongCountOfOperandsIsFound(String instruction, String rule) {
    assertEquals(List.of(rule), rules(instruction + ";"));
  }

  /** Targets as recorded from ptxas 13.0 at .version 9.0: those that accept the instruction, of all those asked. */
  @ParameterizedTest
  @CsvSource(delimiter = '~', value = {
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2] "
          + "~ sm_80 sm_89 sm_90 sm_90a sm_100a sm_100f sm_103a sm_120a",
      "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1} ~ sm_90 sm_90a sm_100a sm_100f sm_103a sm_120a",
      "wgmma.fence.sync.aligned ~ sm_90a",
      "setmaxnreg.inc.sync.aligned.u32 240 ~ sm_90a sm_100a sm_100f sm_103a sm_120a",
      "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2 ~ sm_89 sm_90 sm_90a sm_100a sm_100f sm_103a sm_120a",
      "cvt.rn.satfinite.e2m1x2.f32 %b, %f1, %f2 ~ sm_100a sm_100f sm_103a sm_120a",
      "cvt.rs.bf16x2.f32 %r1, %f1, %f2, %r2 ~ sm_100a sm_103a",
      "redux.sync.max.f32 %f1, %f2, 0xffffffff ~ sm_100a sm_100f sm_103a",
      "fma.rn.f32x2 %d2, %d3, %d4, %d2 ~ sm_100a sm_100f sm_103a sm_120a",
      "mapa.shared::cluster.u32 %r1, %r2, 1 ~ sm_90 sm_90a sm_100a sm_100f sm_103a sm_120a",
      "mov.u32 %r1, %cluster_ctarank ~ sm_90 sm_90a sm_100a sm_100f sm_103a sm_120a",
      "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r1], 0, %r2 ~ sm_90a sm_100a sm_100f sm_103a sm_120a",
      "tcgen05.wait::ld.sync.aligned ~ sm_100a sm_100f sm_103a",
      "add.f32.bf16 %f1, %h1, %f2 ~ sm_100a sm_100f sm_103a sm_120a"})
  void instructionOfAnotherTargetIsFound(String instruction, String targets) {
    var accepting = List.of(targets.split(" "));
    for (String target : "sm_80 sm_89 sm_90 sm_90a sm_100a sm_100f sm_103a sm_120a".split(" ")) {
      assertEquals(accepting.contains(target), check("9.0", target, instruction + ";").isEmpty(), target);
    }
  }

  /** The oldest .version that ptxas 13.0 accepts. */
  @ParameterizedTest
  @CsvSource(delimiter = '~', value = {
      "mbarrier.init.shared::cta.b64 [%r1], 1 ~ sm_90 ~ 7.8",
      "mbarrier.try_wait.shared.b64 %p1, [%r1], %d1 ~ sm_90 ~ 7.8",
      "mbarrier.arrive.expect_tx.shared.b64 %d1, [%r1], %r2 ~ sm_90 ~ 8.0",
      "elect.sync %r1|%p1, -1 ~ sm_90 ~ 8.0",
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3] ~ sm_90 ~ 8.1",
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%d1], %r2, [%r3] ~ sm_90 ~ 8.6",
      "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], %r2 ~ sm_90 ~ 8.0",
      "ld.global.v4.b64 {%d1, %d2, %d3, %d4}, [%d5] ~ sm_100 ~ 8.8", "cvt.rs.bf16x2.f32 %r1, %f1, %f2, %r2 ~ sm_100a "
          + "~ 8.7"})
  void instructionOfALaterVersionIsFound(String instruction, String target, String version) {
    for (String asked : List.of("7.8", "8.0", "8.1", "8.3", "8.6", "8.7", "8.8", "9.0")) {
      var findings = check(asked, target, instruction + ";").stream().filter(f -> f.line() > 0).toList();
      assertEquals(asked.compareTo(version) >= 0, findings.isEmpty(), asked + ": " + findings);
    }
  }

  @Test
  void versionOlderThanTheTargetIsFound() {
    assertEquals(List.of(new PtxCheck.Finding(0, ".target sm_90a", "needs .version 8.0, not 7.8")),
        check("7.8", "sm_90a", "ret;"));
    assertEquals(List.of(new PtxCheck.Finding(0, ".target gpu9", "names no architecture such as sm_80")),
        check("8.0", "gpu9", "ret;"));
  }
}
