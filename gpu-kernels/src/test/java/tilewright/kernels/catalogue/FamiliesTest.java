package tilewright.kernels.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernels.registry.Family;

/** What a kernel of the catalogue has to declare. */
class FamiliesTest {
  private record Declared() implements Untraced {
    static final List<Family> FAMILIES = List.of(Softmax.FAMILIES.getFirst(), Nms.FAMILIES.getFirst());
  }

  private record Forgotten() implements Untraced {}

  private record Hidden() implements Untraced {
    private static final List<Family> FAMILIES = List.of(Softmax.FAMILIES.getFirst());
  }

  private record Single() implements Untraced {
    static final Family FAMILIES = Softmax.FAMILIES.getFirst();
  }

  private interface Untraced extends Kernel {
    @Override
    default String name() {
      return "untraced";
    }

    @Override
    default void trace(Scope k) {}
  }

  @Test
  void areThoseThatTheKernelDeclares() {
    assertEquals(List.of("softmax", "nms"), Families.of(Declared.class).map(Family::name).toList());
  }

  @Test
  void aKernelThatDeclaresNoneIsNamedInsteadOfMissing() {
    for (var kernel : List.of(Forgotten.class, Hidden.class, Single.class)) {
      var failure = assertThrows(IllegalStateException.class, () -> Families.of(kernel));
      assertTrue(failure.getMessage().startsWith("cannot list the kernel " + kernel.getName() + ": it needs"),
          failure.getMessage());
    }
  }
}
