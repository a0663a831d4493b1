package tilewright.ops;

import java.util.Map;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.numerics.ElementType;

/** Rotary position embedding by the catalogue's kernel, one launch for each entry, or for a step of all. */
final class Rotary {
  private final Ops ops;

  Rotary(Ops ops) {
    this.ops = ops;
  }

  DeviceTensor apply(DeviceTensor x, DeviceTensor cos, DeviceTensor sin) {
    ops.requireOwn(x);
    RowOperators.requireType("rope", x);
    if (x.rank() != 4 || x.size(3) % 2 != 0 || x.size(3) == 0) {
      throw new IllegalArgumentException("rope takes (B,S,H,D) with an even D, not " + x);
    }
    long pairs = x.size(3) / 2;
    requireTable("cos", cos, x, pairs);
    requireTable("sin", sin, x, pairs);
    var result = ops.empty(x.type(), x.shape());
    if (result.elements() == 0) return result;
    return ops.computed(result, () -> {
      if (x.size(1) == 1) {
        // A step of decoding: the texts lie where positions do in a prompt, for one launch.
        rotate(x.select(1, 0), step(cos, x.size(0)), step(sin, x.size(0)), result.select(1, 0));
        return;
      }
      for (long entry = 0; entry < x.size(0); entry++) {
        rotate(x.select(0, entry), table(cos, entry), table(sin, entry), result.select(0, entry));
      }
    });
  }

  private void requireTable(String name, DeviceTensor table, DeviceTensor x, long pairs) {
    ops.requireOwn(table);
    boolean fits = table.rank() >= 2 && table.rank() <= 3 && table.size(-2) == x.size(1) && table.size(-1) == pairs
        && (table.rank() == 2 || table.size(0) == x.size(0) || table.size(0) == 1);
    if (table.type() == ElementType.F32 && fits) return;
    throw new IllegalArgumentException(name + " is " + table + "; needed is f32(" + x.size(1) + "," + pairs
        + ") or f32(" + x.size(0) + "," + x.size(1) + "," + pairs + ")");
  }

  private static DeviceTensor table(DeviceTensor table, long entry) {
    return table.rank() == 2 ? table : table.select(0, table.size(0) == 1 ? 0 : entry);
  }

  /** The angles (B,D/2) of one position of each entry. */
  private static DeviceTensor step(DeviceTensor table, long batch) {
    var angles = table.rank() == 2 ? table : table.select(1, 0);
    return angles.size(0) == batch ? angles : angles.expand(0, batch);
  }

  /** X and Y (S,H,D), tables (S,D/2). */
  private void rotate(DeviceTensor x, DeviceTensor cos, DeviceTensor sin, DeviceTensor y) {
    try (var heads = Held.aligned(x); var c = Held.aligned(cos); var s = Held.aligned(sin)) {
      var call = new Call(ops, "rope").with("X", heads.tensor()).with("C", c.tensor()).with("T", s.tensor())
          .with("Y", y);
      call.run("", () -> {
        var family = ops.family("rope");
        var launch = family.workload(family.defaults().with(Map.of("s", Long.toString(x.size(0)), "h",
            Long.toString(x.size(1)), "d", Long.toString(x.size(2)), "pairs", Long.toString(x.size(2) / 2), "dtype",
            x.type().text(), "convention", "half"))).launch();
        var arguments = LaunchArguments.of(launch.kernel());
        for (var name : new String[] {"X", "C", "T", "Y"}) arguments.tensor(name, call.argument(name));
        return Plan.of(new PreparedLaunch(launch.kernel(), launch.grid(), arguments.build(), launch.scratch()));
      });
    }
  }
}
