package tilewright.ops.collectives;

import java.util.List;
import java.util.function.UnaryOperator;
import tilewright.numerics.ElementType;
import tilewright.ops.DeviceTensor;

/** One rank's part in moving tensors among ranks. Tensors lie in order, without gaps. */
sealed interface Transfer {
  /** The types that all machines add. */
  List<ElementType> REDUCED = List.of(ElementType.F32, ElementType.F16, ElementType.BF16, ElementType.I32);

  /** Describes the type, the size and the operation, on which all ranks that take part must agree. */
  String signature();

  /** The tensors that take part. */
  List<DeviceTensor> tensors();

  /** Returns this transfer with other tensors. */
  Transfer with(UnaryOperator<DeviceTensor> others);

  /** A transfer of what a rank has into a tensor for what it gets. */
  sealed interface FromInto extends Transfer {
    DeviceTensor from();

    DeviceTensor into();

    @Override
    default List<DeviceTensor> tensors() {
      return List.of(from(), into());
    }
  }

  record AllReduce(DeviceTensor from, DeviceTensor into, Reduction reduction) implements FromInto {
    public AllReduce {
      requireReduced("all-reduce", from);
      requireLike("all-reduce", from, into, 1, 1);
    }

    @Override
    public String signature() {
      return "all-reduce " + reduction + " of " + text(from);
    }

    @Override
    public Transfer with(UnaryOperator<DeviceTensor> others) {
      return new AllReduce(others.apply(from), others.apply(into), reduction);
    }
  }

  record Reduce(DeviceTensor from, DeviceTensor into, Reduction reduction, int root) implements FromInto {
    public Reduce {
      requireReduced("reduce", from);
      requireLike("reduce", from, into, 1, 1);
    }

    @Override
    public String signature() {
      return "reduce " + reduction + " to rank " + root + " of " + text(from);
    }

    @Override
    public Transfer with(UnaryOperator<DeviceTensor> others) {
      return new Reduce(others.apply(from), others.apply(into), reduction, root);
    }
  }

  record ReduceScatter(DeviceTensor from, DeviceTensor into, Reduction reduction, int ranks) implements FromInto {
    public ReduceScatter {
      requireReduced("reduce-scatter", from);
      requireLike("reduce-scatter", from, into, 1, ranks);
    }

    @Override
    public String signature() {
      return "reduce-scatter " + reduction + " of " + text(from);
    }

    @Override
    public Transfer with(UnaryOperator<DeviceTensor> others) {
      return new ReduceScatter(others.apply(from), others.apply(into), reduction, ranks);
    }
  }

  record AllGather(DeviceTensor from, DeviceTensor into, int ranks) implements FromInto {
    public AllGather {
      requireLike("all-gather", from, into, ranks, 1);
    }

    @Override
    public String signature() {
      return "all-gather of " + text(from);
    }

    @Override
    public Transfer with(UnaryOperator<DeviceTensor> others) {
      return new AllGather(others.apply(from), others.apply(into), ranks);
    }
  }

  record Broadcast(DeviceTensor tensor, int root) implements Transfer {
    public Broadcast {
      requireInOrder("broadcast", tensor);
    }

    @Override
    public String signature() {
      return "broadcast from rank " + root + " of " + text(tensor);
    }

    @Override
    public List<DeviceTensor> tensors() {
      return List.of(tensor);
    }

    @Override
    public Transfer with(UnaryOperator<DeviceTensor> others) {
      return new Broadcast(others.apply(tensor), root);
    }
  }

  /** Nothing but a text on which all ranks must agree. */
  record Agreement(String signature) implements Transfer {
    @Override
    public List<DeviceTensor> tensors() {
      return List.of();
    }

    @Override
    public Transfer with(UnaryOperator<DeviceTensor> others) {
      return this;
    }
  }

  /** A transfer between two ranks. */
  sealed interface Pair extends Transfer {
    DeviceTensor tensor();

    int peer();

    @Override
    default String signature() {
      return text(tensor());
    }

    @Override
    default List<DeviceTensor> tensors() {
      return List.of(tensor());
    }
  }

  record Send(DeviceTensor tensor, int peer) implements Pair {
    public Send {
      requireInOrder("send", tensor);
    }

    @Override
    public Transfer with(UnaryOperator<DeviceTensor> others) {
      return new Send(others.apply(tensor), peer);
    }
  }

  record Receive(DeviceTensor tensor, int peer) implements Pair {
    public Receive {
      requireInOrder("receive", tensor);
    }

    @Override
    public Transfer with(UnaryOperator<DeviceTensor> others) {
      return new Receive(others.apply(tensor), peer);
    }
  }

  private static String text(DeviceTensor tensor) {
    return tensor.elements() + " elements of " + tensor.type().text();
  }

  private static void requireInOrder(String what, DeviceTensor tensor) {
    if (tensor.isContiguous()) return;
    throw new IllegalArgumentException("cannot " + what + " " + tensor + ": its elements have gaps; "
        + "ops.contiguous(tensor) first");
  }

  private static void requireReduced(String what, DeviceTensor from) {
    if (REDUCED.contains(from.type())) return;
    throw new IllegalArgumentException("cannot " + what + " " + from + ": needed is one of "
        + REDUCED.stream().map(ElementType::text).toList());
  }

  private static void requireLike(String what, DeviceTensor from, DeviceTensor into, int parts, int results) {
    requireInOrder(what, from);
    requireInOrder(what, into);
    if (from.type() == into.type() && from.elements() * parts == into.elements() * results) return;
    throw new IllegalArgumentException("cannot " + what + " " + from + " into " + into + ": needed are "
        + (from.elements() * parts % results == 0 ? from.elements() * parts / results + " elements"
            : "elements that " + results + " ranks share evenly") + " of " + from.type().text());
  }
}
