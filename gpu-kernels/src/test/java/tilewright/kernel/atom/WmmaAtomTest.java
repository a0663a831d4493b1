package tilewright.kernel.atom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.PtxType;

/** The forms of {@code wmma}, their registers, and rows that they refuse. */
class WmmaAtomTest {
  private static final WmmaAtom HALVES =
      new WmmaAtom(WmmaAtom.Shape.M16N16K16, ElementType.F16, ElementType.F16);

  @Test
  void typesAndShapesThatNoInstructionHasAreRefused() {
    var refusal = assertThrows(TraceException.class,
        () -> new WmmaAtom(WmmaAtom.Shape.M16N16K16, ElementType.TF32, ElementType.F32));
    assertTrue(refusal.getMessage().startsWith("no wmma of m16n16k16 multiplies tf32 into f32"), refusal.getMessage());
    assertThrows(TraceException.class,
        () -> new WmmaAtom(WmmaAtom.Shape.M32N8K16, ElementType.BF16, ElementType.F16));
  }

  /** PTX ISA, Matrix Fragments for WMMA. */
  @Test
  void registersAreThoseOfThePtxIsa() {
    assertEquals(List.of(8, 8, 4), registers(HALVES));
    assertEquals(List.of(8, 8, 8), registers(single(WmmaAtom.Shape.M32N8K16, ElementType.F16)));
    assertEquals(List.of(4, 4, 8), registers(single(WmmaAtom.Shape.M16N16K16, ElementType.BF16)));
    assertEquals(List.of(8, 2, 8), registers(single(WmmaAtom.Shape.M32N8K16, ElementType.BF16)));
    assertEquals(List.of(4, 4, 8), registers(single(WmmaAtom.Shape.M16N16K8, ElementType.TF32)));
  }

  private static WmmaAtom single(WmmaAtom.Shape shape, ElementType type) {
    return new WmmaAtom(shape, type, ElementType.F32);
  }

  private static List<Integer> registers(WmmaAtom atom) {
    return List.of(atom.registersA(), atom.registersB(), atom.registersD());
  }

  @Test
  void rowsThatAreNotAlignedToTheFragmentAreRefused() {
    CompiledKernel.compile(loading(16), Target.SM80);
    var refusal = assertThrows(TraceException.class, () -> CompiledKernel.compile(loading(24), Target.SM80));
    assertTrue(refusal.getMessage().contains("rows of a wmma matrix are 24 elements apart: needed is a multiple of 16"),
        refusal.getMessage());
  }

  private static Kernel loading(int stride) {
    return new Kernel() {
      @Override
      public String name() {
        return "loading";
      }

      @Override
      public void trace(Scope k) {
        k.block(32);
        var tile = k.shared(ElementType.F16, Layout.of(Layout.of(16, stride), Layout.of(16, 1)));
        var into = Stream.generate(() -> k.newRegister(PtxType.B32)).limit(8).toList();
        HALVES.loadA(k, tile.at(k.constant(0), k.constant(0)), stride, into);
      }
    };
  }
}
