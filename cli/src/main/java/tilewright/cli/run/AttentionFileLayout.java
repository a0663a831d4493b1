package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.tensor.TensorFile;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.reference.TensorView;

/** The order of a file's modes: batch entries, sequence, heads and head dimension, by their letters. */
enum AttentionFileLayout {
  BSHD, BHSD,
  /** V with neighbours along the keys. */
  BHDS;

  private static final int RANK = 4;
  private static final int MULTIPLE = 16;
  private static final int ALIGNMENT = 256;

  /** @throws CommandFailure unless the name is one of these */
  static AttentionFileLayout parse(String option, String name, AttentionFileLayout... these) {
    return Arrays.stream(these).filter(layout -> layout.text().equals(name)).findFirst()
        .orElseThrow(() -> CommandFailure.badInput("invalid " + option + " " + name + ": "
            + String.join(" or ", Arrays.stream(these).map(AttentionFileLayout::text).toList())));
  }

  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** @throws CommandFailure unless the file has four modes */
  void requireModes(TensorFile file) {
    if (file.shape().size() != RANK) throw CommandFailure.badFile(file.path(), "has rank " + file.shape().size()
        + "; needed are four modes, " + text());
  }

  int rows(TensorFile file) {
    return file.extent(mode('S'));
  }

  int heads(TensorFile file) {
    return file.extent(mode('H'));
  }

  int dim(TensorFile file) {
    return file.extent(mode('D'));
  }

  private int mode(char letter) {
    return name().indexOf(letter);
  }

  /** The place of a tensor in this order. */
  View view(String name, int rows, int heads, int dim) {
    return switch (this) {
      case BSHD -> View.bshd(name, rows, heads, dim);
      case BHSD -> View.bhsd(name, rows, heads, dim);
      case BHDS -> View.bhds(name, heads, dim, rows);
    };
  }

  /** The extents of a tensor in this order. */
  List<Long> shape(int batch, int rows, int heads, int dim) {
    return name().chars().mapToObj(letter -> (long) switch (letter) {
      case 'B' -> batch;
      case 'S' -> rows;
      case 'H' -> heads;
      default -> dim;
    }).toList();
  }

  /** The elements of a file as (B,S,H,D), of the first rows. */
  TensorView tensor(TensorFile file, int rows) {
    var place = view("", rows(file), heads(file), dim(file));
    return new TensorView(file.type(), file.data(), new Layout(IntTuple.flat(file.extent(0), rows, heads(file),
        dim(file)), IntTuple.flat(place.batch(), place.sequence(), place.head(), place.dim())));
  }

  /** The file with zeros behind its neighbours, so that they are a multiple of 16, as tensor copies need. */
  static TensorFile padded(TensorFile file, Arena arena) {
    long neighbours = file.shape().getLast();
    long room = Math.ceilDiv(neighbours, MULTIPLE) * MULTIPLE;
    if (room == neighbours) return file;
    var shape = new ArrayList<>(file.shape());
    shape.set(RANK - 1, room);
    long runs = shape.subList(0, RANK - 1).stream().reduce(1L, Math::multiplyExact);
    int bytes = file.type().bytes();
    var data = arena.allocate(Math.max(1, runs * room * bytes), ALIGNMENT);
    for (long run = 0; run < runs; run++) {
      MemorySegment.copy(file.data(), run * neighbours * bytes, data, run * room * bytes, neighbours * bytes);
    }
    return new TensorFile(file.path(), file.type(), shape, data);
  }
}
