package tilewright.verification.cases;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import tilewright.async.schedule.StreamKTiles;
import tilewright.kernels.GemmProblem;
import tilewright.reference.GemmReference;
import tilewright.sm90.Sm90GemmConfig;

/**
 * The parts of the k range of each element of C that CTAs sum: those of a cluster that splits k, or those that stream-K
 * cuts when {@code blocks} CTAs share the tiles that do not fill a wave. There the CTA with the last part adds the
 * others to it.
 *
 * @param p as the kernel sees it
 */
record PartsOfK(GemmProblem p, Sm90GemmConfig config, int blocks) implements GemmReference.Parts {

  static PartsOfK of(GemmProblem problem, Sm90GemmConfig config, int blocks) {
    return new PartsOfK(config.transposed() ? problem.transposed() : problem, config, blocks);
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
    if (!config.streamK()) return parts(config.cluster().splits(), config.partOfK(p.k()));
    long count = rows() * columns() * p.batch();
    long left = count % workers();
    long tile = config.transposed() ? tile(column, row, batch) : tile(row, column, batch);
    long cuts = left == 0 ? 1
        : Math.clamp(Math.min(workers() / left, steps() / StreamKTiles.LEAST_STEPS), 1, StreamKTiles.MOST_PARTS);
    if (tile < count - left || cuts == 1) return List.of(new Part(0, p.k()));
    var parts = parts(Math.toIntExact(cuts), Math.toIntExact(Math.ceilDiv(steps(), cuts) * config.tileK()));
    Collections.rotate(parts, 1);
    return parts;
  }

  private List<Part> parts(int number, int each) {
    var parts = new ArrayList<Part>();
    for (int part = 0; part < number; part++) {
      parts.add(new Part(Math.min(p.k(), part * each), Math.min(p.k(), (part + 1) * each)));
    }
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
