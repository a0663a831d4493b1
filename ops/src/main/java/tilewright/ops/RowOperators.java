package tilewright.ops;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.WeightedRows;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.numerics.ElementType;

/** Operators on the last mode of a tensor, by the catalogue's kernels for matrices (M,N). */
final class RowOperators {
  private static final List<ElementType> TYPES = List.of(ElementType.F32, ElementType.F16, ElementType.BF16);
  private static final int WIDEST_BYTES = 16;

  private final Ops ops;

  RowOperators(Ops ops) {
    this.ops = ops;
  }

  /**
   * Y of X's shape and type.
   *
   * @param vectors of one number per column, by the kernel's names
   * @param scalars that the launch gives, by the kernel's names
   */
  DeviceTensor apply(String operator, DeviceTensor x, Map<String, DeviceTensor> vectors, Map<String, Float> scalars) {
    ops.requireOwn(x);
    requireType(operator, x);
    if (x.rank() == 0) throw new IllegalArgumentException(operator + " takes rows: at least one mode");
    vectors.values().forEach(ops::requireOwn);
    vectors.forEach((name, vector) -> {
      if (vector.type() != x.type() || vector.rank() != 1 || vector.size(0) != x.size(-1)) {
        throw new IllegalArgumentException(operator + ": " + name + " is " + vector + "; needed is "
            + x.type().text() + "(" + x.size(-1) + ")");
      }
    });
    var result = ops.empty(x.type(), x.shape());
    if (x.elements() == 0) return result;
    return ops.computed(result, () -> {
      try (var rows = Held.rows(x)) {
        var call = new Call(ops, operator).with("X", rows.tensor());
        vectors.forEach(call::with);
        call.with("Y", result.reshape(-1, x.size(-1)));
        call.run(scalars, () -> prepare(call, operator, rows.tensor(), vectors, scalars));
      }
    });
  }

  private Plan prepare(Call call, String operator, DeviceTensor x, Map<String, DeviceTensor> vectors,
      Map<String, Float> scalars) {
    var family = ops.family(operator);
    int aligned = call.alignment("X") * x.type().bytes();
    for (var name : vectors.keySet()) aligned = Math.min(aligned, call.alignment(name) * x.type().bytes());
    var choice = choice(family, x, aligned < WIDEST_BYTES ? Map.of("vec", accesses(family, aligned)) : Map.of());
    var launch = family.workload(choice).launch();
    var arguments = LaunchArguments.of(launch.kernel()).tensor("X", call.argument("X")).tensor("Y",
        call.argument("Y"));
    for (var name : vectors.keySet()) {
      // A vector that is a column of a matrix has another stride than 1, which the kernel refuses.
      arguments.tensor(name, call.argument(name));
    }
    scalars.forEach(arguments::scalar);
    return Plan.of(new PreparedLaunch(launch.kernel(), launch.grid(), arguments.build(), launch.scratch()));
  }

  /** The widest accesses that a family has within a number of bytes. */
  private static String accesses(Family family, int bytes) {
    return family.settings().stream().filter(s -> s.name().equals("vec")).flatMap(s -> s.values().stream())
        .filter(v -> v.matches("[0-9]+") && Integer.parseInt(v) <= bytes).findFirst().orElse("1");
  }

  private static Choice choice(Family family, DeviceTensor x, Map<String, String> more) {
    return family.defaults().with(Map.of("m", Long.toString(x.size(0)), "n", Long.toString(x.size(1)), "dtype",
        x.type().text())).with(more);
  }

  /** The rows of a table (V,N) at indices of any shape; a row of zeros where there is none. */
  DeviceTensor embedding(DeviceTensor table, DeviceTensor indices) {
    ops.requireOwn(table);
    ops.requireOwn(indices);
    requireType("embedding", table);
    if (table.rank() != 2) throw new IllegalArgumentException("the table is " + table + "; needed is (V,N)");
    if (indices.type() != ElementType.I32) {
      throw new IllegalArgumentException("indices are of " + indices.type().text() + "; needed is i32: ops.ints");
    }
    var extents = new ArrayList<>(indices.form().extents());
    extents.add(table.size(1));
    var result = ops.empty(table.type(), extents.stream().mapToLong(v -> v).toArray());
    if (result.elements() == 0) return result;
    return ops.computed(result, () -> {
      try (var rows = Held.rows(table); var order = Held.inOrder(indices)) {
        var matrix = result.reshape(-1, table.size(1));
        var call = new Call(ops, "embedding").with("I", order.tensor().reshape(-1)).with("W", rows.tensor())
            .with("Y", matrix);
        call.run("", () -> prepareEmbedding(call, table, matrix));
      }
    });
  }

  /** Sums of rows of a table (V,N) at indices (M,J), times weights (M,J). */
  DeviceTensor weightedRows(DeviceTensor table, DeviceTensor indices, DeviceTensor weights) {
    List.of(table, indices, weights).forEach(ops::requireOwn);
    requireType("weighted rows", table);
    if (table.rank() != 2 || indices.rank() != 2 || indices.type() != ElementType.I32
        || weights.type() != ElementType.F32 || !Arrays.equals(weights.shape(), indices.shape())) {
      throw new IllegalArgumentException("no weighted rows of " + table + " at " + indices + " by " + weights
          + ": needed are (V,N), i32(M,J) and f32(M,J)");
    }
    if (indices.size(1) == 0 || table.size(0) == 0) {
      return ops.zeros(table.type(), indices.size(0), table.size(1));
    }
    var result = ops.empty(table.type(), indices.size(0), table.size(1));
    if (result.elements() == 0) return result;
    return ops.computed(result, () -> {
      try (var rows = Held.rows(table)) {
        var call = new Call(ops, "weighted_rows").with("W", rows.tensor()).with("I", indices).with("P", weights)
            .with("Y", result);
        call.run("", () -> Plan.of(WeightedRows.prepare(table.type(), call.alignment("W"), call.argument("W"),
            call.argument("I"), call.argument("P"), call.argument("Y"))));
      }
    });
  }

  private Plan prepareEmbedding(Call call, DeviceTensor table, DeviceTensor result) {
    var family = ops.family("embedding");
    var choice = choice(family, result, Map.of("v", Long.toString(table.size(0)), "vec",
        accesses(family, embeddingAccess(call, table.type()))));
    var launch = family.workload(choice).launch();
    var arguments = LaunchArguments.of(launch.kernel()).tensor("I", call.argument("I"))
        .tensor("W", call.argument("W")).tensor("Y", call.argument("Y"));
    return Plan.of(new PreparedLaunch(launch.kernel(), launch.grid(), arguments.build(), launch.scratch()));
  }

  /** Accesses of 4 bytes are pairs of 16 bits. */
  private static int embeddingAccess(Call call, ElementType type) {
    int bytes = call.alignment("W") * type.bytes();
    return type.bytes() == 4 && bytes < WIDEST_BYTES ? 1 : bytes;
  }

  static void requireType(String operator, DeviceTensor x) {
    if (TYPES.contains(x.type())) return;
    throw new IllegalArgumentException("no " + operator + " of " + x.type().text() + ": "
        + TYPES.stream().map(ElementType::text).collect(Collectors.joining(" or ")) + "; ops.convert makes them");
  }
}
