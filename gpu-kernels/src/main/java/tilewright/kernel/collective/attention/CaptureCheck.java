package tilewright.kernel.collective.attention;

import java.util.ArrayList;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Derivative;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.KernelParameter;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TraceException;
import tilewright.ptx.PtxType;

/**
 * The proof, before a launch, that score and mask functions read captured tensors inside their extents: it traces them
 * by themselves, with the extents and the bounds of b, h, q and k as constants, and interval arithmetic bounds each
 * index.
 *
 * @param queries the most of a batch entry; likewise {@code keys}
 */
public record CaptureCheck(Modification modification, int batch, int heads, int queries, int keys) implements Kernel {
  @Override
  public String name() {
    return "capture_check";
  }

  @Override
  public void trace(Scope k) {
    k.block(1);
    modification.captures().tensors().values().forEach(given -> {
      for (int mode = 0; mode < given.tensor().rank(); mode++) {
        k.know(given.tensor().extent(mode), Math.toIntExact(given.place().extents().get(mode)));
      }
    });
    modification.captures().integers().forEach(k::know);
    var b = below(k, batch);
    var h = below(k, heads);
    var q = below(k, queries);
    var key = below(k, keys);
    modification.score().ifPresent(mod -> {
      var score = k.result(k.newRegister(PtxType.F32));
      if (modification.captures().differentiated().isEmpty()) mod.apply(score, b, h, q, key);
      else differentiate(k, mod, score, b, h, q, key);
    });
    if (modification.score().isEmpty() && !modification.captures().differentiated().isEmpty()) {
      throw new IllegalArgumentException("no gradient of " + modification.captures().differentiated().iterator().next()
          + ", which no function of scores reads");
    }
    modification.mask().ifPresent(mask -> mask.apply(b, h, q, key));
  }

  /** Finds the derivatives that gradients of captured tensors need. */
  private void differentiate(Scope k, ScoreMod mod, F32 score, I32 b, I32 h, I32 q, I32 key) {
    var reads = new ArrayList<GlobalTensor.Read>();
    var tensors = modification.captures().differentiatedInKernels();
    var value = k.noting(tensors, reads, () -> mod.sloped(score, b, h, q, key)).value();
    for (var read : reads) Derivative.of(value, read.value());
    tensors.stream().filter(name -> reads.stream().noneMatch(read -> read.tensor().name().equals(name))).findFirst()
        .ifPresent(name -> {
          throw new IllegalArgumentException("no gradient of " + name.substring(CapturedTensor.PREFIX.length())
              + ", which no function of scores reads");
        });
  }

  private static I32 below(Scope k, int extent) {
    // Where there is none, kernels read as if there were one.
    return k.result(k.newRegister(PtxType.B32), 0, Math.max(0, extent - 1L));
  }

  /**
   * Proves it.
   *
   * @throws IllegalArgumentException naming the tensor, the index and its bounds, or what is read and not given
   */
  public void require() {
    boolean reads = modification.score().isPresent() || modification.mask().isPresent();
    if (!reads && modification.captures().differentiated().isEmpty()) return;
    try {
      CompiledKernel.compile(this, Target.SM80).parameters().forEach(this::requireGiven);
    } catch (TraceException e) {
      if (!e.getMessage().startsWith("coordinate ")) {
        throw new IllegalArgumentException("the functions of attention: " + e.getMessage(), e);
      }
      throw new IllegalArgumentException("the functions of attention with B=" + batch + " H=" + heads + " Sq="
          + queries + " Sk=" + keys + ": " + e.getMessage().replace(CapturedTensor.PREFIX, "")
          + "; give a larger tensor, bound the index, or declare the integers that it comes from by below(count)", e);
    }
  }

  private void requireGiven(KernelParameter parameter) {
    var captures = modification.captures();
    switch (parameter) {
      case KernelParameter.Pointer(var spec) -> {
        var name = spec.name().substring(CapturedTensor.PREFIX.length());
        var given = captures.tensors().get(name);
        if (given == null) {
          throw new IllegalArgumentException("a function reads tensor " + name
              + ", which the launch does not give: capture it with its extents");
        }
        if (!given.tensor().spec().equals(spec)) {
          throw new IllegalArgumentException("a function reads tensor " + name + " as " + spec.type().text()
              + " of rank " + spec.modes().size() + ", and the launch gives " + given.tensor().type().text()
              + " of rank " + given.tensor().rank());
        }
      }
      case KernelParameter.Scalar(var name, var type) -> {
        boolean known = type == PtxType.F32 ? name.equals("scale") || captures.numbers().containsKey(name)
            : captures.integers().containsKey(name);
        if (!known) {
          throw new IllegalArgumentException("a function reads " + (type == PtxType.F32 ? "number " : "integer ")
              + name + ", which the launch does not give: capture it");
        }
      }
      default -> {}
    }
  }
}
