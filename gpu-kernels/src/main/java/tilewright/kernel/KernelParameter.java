package tilewright.kernel;

import java.util.List;
import tilewright.ptx.Launch;
import tilewright.ptx.Linkage;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.ptx.Variable;

/** One parameter of a compiled kernel and where its value comes from. */
public sealed interface KernelParameter {

  /** The parameter's name in PTX. */
  String name();

  PtxType type();

  /** The address of a tensor's first element. */
  record Pointer(TensorSpec tensor) implements KernelParameter {
    @Override
    public String name() {
      return tensor.name();
    }

    @Override
    public PtxType type() {
      return PtxType.U64;
    }
  }

  /** The stride of one mode of a tensor, in elements. */
  record Stride(TensorSpec tensor, int mode) implements KernelParameter {
    @Override
    public String name() {
      return tensor.name() + "_stride_" + tensor.extents().get(mode);
    }

    @Override
    public PtxType type() {
      return PtxType.S64;
    }
  }

  /** An extent that tensors share by name. */
  record Extent(String name) implements KernelParameter {
    @Override
    public PtxType type() {
      return PtxType.S32;
    }
  }

  /** A number. */
  record Scalar(String name, PtxType type) implements KernelParameter {}

  /** A tensor map, in bytes that only the hardware reads. */
  record Map(TensorMapSpec spec) implements KernelParameter {
    private static final int ALIGNMENT = 64;

    @Override
    public String name() {
      return spec.name();
    }

    @Override
    public PtxType type() {
      return PtxType.B8;
    }

    @Override
    public Variable declaration() {
      return new Variable(Linkage.LOCAL, StateSpace.PARAM, ALIGNMENT, 1, PtxType.B8, name(),
          List.of((long) Launch.Argument.TENSOR_MAP_BYTES), List.of());
    }
  }

  /** How PTX declares it. */
  default Variable declaration() {
    return Variable.parameter(type(), name());
  }
}
