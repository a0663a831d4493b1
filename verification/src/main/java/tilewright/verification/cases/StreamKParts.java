package tilewright.verification.cases;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import tilewright.async.schedule.StreamKTiles;
import tilewright.kernels.GemmProblem;
import tilewright.reference.GemmReference;
import tilewright.sm90.Sm90GemmConfig;

/**
 * The places at which stream-K cuts the k range of each element of C when {@code blocks} CTAs share the tiles that do
 * not fill a wave. The CTA with the last part adds the others to it.
 *
 * @param p as the kernel sees it
 */
record StreamKParts(GemmProblem p, Sm90GemmConfig config, int blocks) implements GemmReference.Parts {

  static StreamKParts of(GemmProblem problem, Sm90GemmConfig config, int blocks) {
    return new StreamKParts(config.transposed() ? problem.transposed() : problem, config, blocks);
  }

  private long workers() {
    return blocks / config.cluster().blocks();
  }

  private long rows() {
    return Math.ceilDiv(p.m(), config.tileM() * config.cluster().m());
  }

  private long columns() {
    return Math.ceilDiv(p.n(), config.tileN() * config.cluster().n());
  }

  private long steps() {
    return Math.ceilDiv(p.k(), config.tileK());
  }

  @Override
  public List<Part> of(int row, int column, int batch) {
    long count = rows() * columns() * p.batch();
    long left = count % workers();
    long tile = config.transposed() ? tile(column, row, batch) : tile(row, column, batch);
    long cuts = left == 0 ? 1
        : Math.clamp(Math.min(workers() / left, steps() / StreamKTiles.LEAST_STEPS), 1, StreamKTiles.MOST_PARTS);
    if (tile < count - left || cuts == 1) return List.of(new Part(0, p.k()));
    int each = Math.toIntExact(Math.ceilDiv(steps(), cuts) * config.tileK());
    var parts = new ArrayList<Part>();
    for (int cut = 0; cut < cuts; cut++) {
      parts.add(new Part(Math.min(p.k(), cut * each), Math.min(p.k(), (cut + 1) * each)));
    }
    Collections.rotate(parts, 1);
    return parts;
  }

  /** Tiles are counted through bands of rows, in a band column by column. */
  private long tile(int row, int column, int batch) {
    long down = row / (config.tileM() * config.cluster().m());
    long across = column / (config.tileN() * config.cluster().n());
    long band = down / config.band() * config.band();
    long height = Math.min(config.band(), rows() - band);
    return batch * rows() * columns() + band * columns() + across * height + down - band;
  }
}
