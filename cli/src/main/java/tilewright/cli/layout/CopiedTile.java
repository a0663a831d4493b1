package tilewright.cli.layout;

import tilewright.async.atom.SwizzledRows;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.KernelParameter;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorMapSpec;
import tilewright.kernel.TensorSpec;
import tilewright.layout.ComposedLayout;
import tilewright.numerics.ElementType;

/** A tile that tensor copies fill, and a kernel that has nothing but it. */
record CopiedTile(ElementType type, int rows, int columns, boolean alongColumns) implements Kernel {
  private static final int ALIGNED_BYTES = 16;

  ComposedLayout layout() {
    return alongColumns ? SwizzledRows.alongColumns(type, rows, columns, 1)
        : SwizzledRows.alongRows(type, rows, columns, 1);
  }

  @Override
  public String name() {
    return "copied_tile";
  }

  @Override
  public void trace(Scope k) {
    k.block(32);
    TensorTile.of(k, TensorSpec.of("X", type, "M", "N").contiguous(alongColumns ? "N" : "M")
        .aligned(ALIGNED_BYTES / type.bytes()), layout());
  }

  /** The tensor map that the tile's layout asks for. */
  TensorMapSpec map() {
    return CompiledKernel.compile(this, Target.SM90A).parameters().stream()
        .filter(KernelParameter.Map.class::isInstance).map(p -> ((KernelParameter.Map) p).spec()).findFirst()
        .orElseThrow();
  }
}
