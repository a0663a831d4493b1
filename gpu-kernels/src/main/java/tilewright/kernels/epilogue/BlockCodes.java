package tilewright.kernels.epilogue;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernels.E4m3Scale;

/**
 * Quantises the values that a thread has of whole blocks of columns: the lanes that share a row find its largest
 * magnitude together, and one of them stores the factor.
 *
 * @param factors (M,⌈N/128⌉,L)
 */
record BlockCodes(Scope k, GlobalTensor factors, Partition partition, I32 thread, EpilogueTrace.Place place) {

  /**
   * Returns codes that are still to be rounded.
   *
   * @param first the number of the first value, which is in the first column of a block
   */
  List<F32> of(int first, List<F32> values) {
    var lanes = LaneReduction.of(partition, Epilogue.Along.ROWS);
    var largest = new LinkedHashMap<Long, F32>();
    for (int i = 0; i < values.size(); i++) {
      var column = place.n().plus(partition.coordinate(thread, first + i)[1]);
      var magnitude = E4m3Scale.magnitude(k, values.get(i)).where(column.lessThan(place.extentN()), k.constant(0f));
      largest.merge(row(first + i), magnitude, F32::max);
    }
    var block = place.n().plus((int) column(first)).dividedBy(Epilogue.BLOCK);
    var inverses = new HashMap<Long, F32>();
    largest.forEach((row, ofLane) -> {
      var scale = new E4m3Scale(k, lanes.all(k, Reduction.MAX, ofLane));
      var factor = scale.factor();
      var down = partition.coordinate(thread, 0)[0].plus((int) (row - row(0)));
      var element = factors.at(place.m().plus(down), block, place.batch());
      factor.register();
      k.when(lanes.isFirst(thread).and(element.inside()), () -> element.store(factor));
      inverses.put(row, scale.inverse());
    });
    return IntStream.range(0, values.size()).boxed()
        .flatMap(i -> E4m3Scale.codes(k, List.of(values.get(i)), inverses.get(row(first + i))).stream()).toList();
  }

  private long row(int value) {
    return partition.layout().mode(1).apply(value) % partition.tile().getFirst();
  }

  private long column(int value) {
    return partition.layout().mode(1).apply(value) / partition.tile().getFirst();
  }
}
