package tilewright.device.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.device.Ptx;

class AssemblerTest {
  private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};

  private static Assembler jcuda() {
    return new Assembler(List.of(JcudaPtxCompiler.find().orElseThrow()));
  }

  private static Assembler ptxas() {
    var ptxas = Ptxas.find();
    assumeTrue(ptxas.isPresent(), "no ptxas on this machine");
    return new Assembler(List.of(ptxas.orElseThrow()));
  }

  @Test
  void jcudaAssemblesWithoutToolkitOrGpu() {
    requireVectorAdd(jcuda().assemble(Ptx.VECTOR_ADD, "sm_80"));
  }

  @Test
  void jcudaAssemblesForHopper() {
    requireVectorAdd(jcuda().assemble(Ptx.VECTOR_ADD.replace("sm_80", "sm_90a"), "sm_90a"));
  }

  @Test
  void ptxasAssembles() {
    requireVectorAdd(ptxas().assemble(Ptx.VECTOR_ADD, "sm_80"));
  }

  @Test
  void ptxasAssemblesForBlackwellWhereItIsNewEnough() {
    var ptxas = ptxas();
    assumeTrue(ptxas.found().getFirst().takes("sm_100a", "8.6"), "this ptxas is older than Blackwell");
    requireVectorAdd(ptxas.assemble(Ptx.VECTOR_ADD.replace("sm_80", "sm_100a").replace("8.0", "8.6"), "sm_100a"));
  }

  private static void requireVectorAdd(Assembly assembly) {
    var assembled = assertInstanceOf(Assembly.Assembled.class, assembly);
    assertEquals(List.of("add"), assembled.resources().stream().map(Assembly.Resources::entry).toList());
    var resources = assembled.resources().getFirst();
    assertTrue(resources.registers() > 0 && resources.registers() < 32, resources::toString);
    assertEquals(0, resources.spillStoreBytes());
    assertEquals(List.of(), assembled.warnings());
    assertEquals(List.of(ELF[0], ELF[1], ELF[2], ELF[3]),
        List.of(assembled.cubin()[0], assembled.cubin()[1], assembled.cubin()[2], assembled.cubin()[3]));
  }

  @Test
  void jcudaRejectsWrongPtxNamingTheLine() {
    requireRejectedAtLine23(jcuda());
  }

  @Test
  void ptxasRejectsWrongPtxNamingTheLine() {
    requireRejectedAtLine23(ptxas());
  }

  private static void requireRejectedAtLine23(Assembler assembler) {
    var wrong = Ptx.VECTOR_ADD.replace("add.u64 %rd6,", "addd.u64 %rd6,");
    assertTrue(wrong.lines().toList().get(22).contains("addd"), "the fault is on line 23");
    var rejected = assertInstanceOf(Assembly.Rejected.class, assembler.assemble(wrong, "sm_80"));
    assertTrue(rejected.log().contains("line 23"), rejected::log);
  }

  @Test
  void saysWhatIsMissingForATargetThatNothingTakes() {
    var assembly = jcuda().assemble(Ptx.VECTOR_ADD.replace("sm_80", "sm_100a"), "sm_100a");
    var reason = assertInstanceOf(Assembly.Unavailable.class, assembly).reason();
    assertEquals("no assembler here takes PTX 8.0 for sm_100a (found: JCuda's PTX compiler 12.0); "
        + "put a newer CUDA toolkit's ptxas on the PATH", reason);
  }

  @Test
  void saysThatThereIsNoAssemblerAtAll() {
    var assembly = new Assembler(List.of()).assemble(Ptx.VECTOR_ADD, "sm_80");
    var reason = assertInstanceOf(Assembly.Unavailable.class, assembly).reason();
    assertTrue(reason.contains("found: none"), reason);
  }

  @Test
  void jcudaDeclinesNewerPtxInsteadOfRejectingIt() {
    assertInstanceOf(Assembly.Unavailable.class, jcuda().assemble(Ptx.VECTOR_ADD.replace("8.0", "8.1"), "sm_80"));
  }

  @ParameterizedTest
  @CsvSource({"11,8,7.8", "12,0,8.0", "12,5,8.5", "12,6,8.5", "12,7,8.6", "12,8,8.7", "12,9,8.8", "13,0,9.0"})
  void ptxasOfAToolkitTakesThePtxReleasedWithIt(int major, int minor, String ptx) {
    assertEquals(ptx, Ptxas.newestPtx(major, minor));
  }
}
