package tilewright.ops.collectives;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.numerics.ElementType;
import tilewright.ops.DeviceTensor;

/** Transfers in the memory of this process. Elements are reduced in the order of ranks, and rounded once. */
final class HostTransfers {
  private HostTransfers() {}

  /** Moves the data of all ranks, in their order. */
  static void perform(List<Exchange.Arrival> arrivals) {
    var all = arrivals.stream().map(Exchange.Arrival::transfer).toList();
    switch (all.getFirst()) {
      case Transfer.AllReduce first -> {
        var result = reduced(all, first.reduction());
        all.forEach(each -> set(((Transfer.AllReduce) each).into(), result, 0));
      }
      case Transfer.Reduce first -> set(((Transfer.Reduce) all.get(first.root())).into(),
          reduced(all, first.reduction()), 0);
      case Transfer.ReduceScatter first -> {
        var result = reduced(all, first.reduction());
        int part = result.length / all.size();
        IntStream.range(0, all.size()).forEach(rank ->
            set(((Transfer.ReduceScatter) all.get(rank)).into(), result, rank * part));
      }
      case Transfer.AllGather _ -> gather(all);
      case Transfer.Broadcast first -> {
        var root = bytes(((Transfer.Broadcast) all.get(first.root())).tensor());
        all.forEach(each -> bytes(((Transfer.Broadcast) each).tensor()).copyFrom(root));
      }
      case Transfer.Agreement _ -> {}
      case Transfer.Pair pair -> {
        var other = (Transfer.Pair) all.get(1);
        var from = pair instanceof Transfer.Send ? pair : other;
        var into = pair instanceof Transfer.Send ? other : pair;
        bytes(into.tensor()).copyFrom(bytes(from.tensor()));
      }
    }
  }

  private static void gather(List<Transfer> all) {
    for (var receiver : all) {
      var into = bytes(((Transfer.AllGather) receiver).into());
      long at = 0;
      for (var sender : all) {
        var part = bytes(((Transfer.AllGather) sender).from());
        into.asSlice(at, part.byteSize()).copyFrom(part);
        at += part.byteSize();
      }
    }
  }

  private static double[] reduced(List<Transfer> all, Reduction reduction) {
    var inputs = all.stream().map(each -> numbers(each.tensors().getFirst())).toList();
    return IntStream.range(0, inputs.getFirst().length)
        .mapToDouble(i -> reduction.of(inputs.stream().mapToDouble(input -> input[i]).toArray())).toArray();
  }

  private static double[] numbers(DeviceTensor tensor) {
    if (tensor.type() == ElementType.I32) return IntStream.of(tensor.ints()).asDoubleStream().toArray();
    var floats = tensor.floats();
    return IntStream.range(0, floats.length).mapToDouble(i -> floats[i]).toArray();
  }

  private static void set(DeviceTensor tensor, double[] all, int begin) {
    int count = (int) tensor.elements();
    if (tensor.type() == ElementType.I32) {
      tensor.set(IntStream.range(0, count).map(i -> (int) (long) all[begin + i]).toArray());
      return;
    }
    var floats = new float[count];
    for (int i = 0; i < count; i++) floats[i] = (float) all[begin + i];
    tensor.set(floats);
  }

  /** The simulator's memory is the process's. */
  @SuppressWarnings("restricted")
  private static MemorySegment bytes(DeviceTensor tensor) {
    return MemorySegment.ofAddress(tensor.address()).reinterpret(tensor.type().bytes(tensor.elements()));
  }
}
