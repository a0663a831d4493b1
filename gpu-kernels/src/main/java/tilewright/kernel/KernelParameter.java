package tilewright.kernel;

import tilewright.ptx.PtxType;

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
}
