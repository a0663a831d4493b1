package tilewright.sm90.collective;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.Warpgroup;
import tilewright.async.schedule.Fixup;
import tilewright.async.schedule.TileGrid;
import tilewright.async.schedule.WorkTile;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.epilogue.DirectMatrices;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueTrace;
import tilewright.kernels.epilogue.MatrixAccess;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * An epilogue by way of shared memory: each warpgroup rounds a block of 64 rows and 128 bytes of columns into a
 * swizzled stage, from where a tensor copy takes it while the next block, or tile, goes on, or the warpgroup where
 * copies cannot. What the tree reads is read a block ahead.
 */
public final class StagedEpilogue {
  private static final int ALIGNED_BYTES = 16;
  private static final int PAIR = 2;

  private final Scope k;
  private final EpilogueTrace trace;
  private final DirectMatrices sources;
  private final Optional<StagedSource> copied;
  private final StagedOutput d;
  private final Map<String, StagedOutput> auxiliary;
  private final int neighbours;
  private final OutputBlocks blocks;
  private final boolean copies;

  private StagedEpilogue(Scope k, EpilogueTrace trace, DirectMatrices sources, Optional<StagedSource> copied,
      StagedOutput d, Map<String, StagedOutput> auxiliary, OutputForm form, OutputBlocks blocks) {
    this.k = k;
    this.trace = trace;
    this.sources = sources;
    this.copied = copied;
    this.d = d;
    this.auxiliary = auxiliary;
    this.neighbours = form.neighbours();
    this.blocks = blocks;
    this.copies = form.copies() != OutputForm.Copies.NONE;
  }

  /**
   * Declares what the tree reads and writes, and sets the stages aside. Where copies bring what is read, one matrix
   * of D's own 16-bit type is copied by way of D's stages.
   *
   * @param type of D (M,N,L)
   * @param entries the name of the extent that counts matrices B
   * @param mma what a tile has when it is stored; blocks divide its columns
   * @param first true for the thread that initialises barriers
   */
  public static StagedEpilogue of(Scope k, OutputForm form, ElementType type, String entries, TiledWgmma mma,
      int groups, Pred first) {
    var tree = form.epilogue();
    int tileN = mma.columns() / tree.products();
    int columns = form.columns(type, tileN);
    int stages = form.stages();
    var blocks = new OutputBlocks(mma, tree.products(), columns, stages);
    if (tree instanceof Epilogue.Quantized && columns != Epilogue.BLOCK) {
      throw new TraceException("blocks of " + columns + " columns of tiles of " + tileN + " have no factor each: "
          + Epilogue.BLOCK + " columns share one");
    }
    var block = WgmmaAtom.accumulators(columns);
    var trace = EpilogueTrace.of(k, tree, form.neighbours(), entries);
    var d = output(k, form, "C", type, block, groups * stages);
    var auxiliary = new LinkedHashMap<String, StagedOutput>();
    for (var stored : tree.nodes(Epilogue.Stored.class)) {
      auxiliary.put(stored.name(), output(k, form, stored.name(), stored.type(), block, groups * stages));
    }
    var read = tree.nodes(Epilogue.Source.class);
    boolean alone = form.copies() == OutputForm.Copies.ALL && read.size() == 1 && read.getFirst().type() == type
        && type.bits() == 16;
    var copied = Optional.of(read).filter(_ -> alone).map(List::getFirst).map(source -> StagedSource.of(k,
        copied(source.name(), source.type(), form), d, block, groups, stages, blocks.used(), first));
    return new StagedEpilogue(k, trace, DirectMatrices.of(k, alone ? List.of() : read, form.neighbours()), copied, d,
        auxiliary, form, blocks);
  }

  private static StagedOutput output(Scope k, OutputForm form, String name, ElementType type, Partition block,
      int stages) {
    if (form.copies() == OutputForm.Copies.NONE) {
      return StagedOutput.byThreads(k, TensorSpec.of(name, type, "M", "N", "L"), form.alongN(), block, stages);
    }
    var spec = copied(name, type, form);
    // What threads read as well is declared once.
    var parts = form.epilogue().inputs().containsKey(name) ? DirectMatrices.spec(name, type, form.neighbours()) : spec;
    return StagedOutput.copied(k, spec, block, stages,
        Optional.of(parts).filter(_ -> form.copies() == OutputForm.Copies.WHOLE_BLOCKS));
  }

  private static TensorSpec copied(String name, ElementType type, OutputForm form) {
    return TensorSpec.of(name, type, "M", "N", "L").contiguous(form.alongN() ? "N" : "M")
        .aligned(ALIGNED_BYTES / type.bytes());
  }

  /** D's extents. */
  public TileGrid.Extents extents() {
    return new TileGrid.Extents(extent(0), extent(1), extent(2));
  }

  /** The epilogue of a warpgroup's rows of a tile. */
  public Fixup.Output of(WorkTile tile, I32 group, I32 lane) {
    return new Fixup.Output() {
      @Override
      public void prefetch() {
        begin(lane, group, tile);
      }

      @Override
      public void store(Fragment accumulators) {
        StagedEpilogue.this.store(lane, group, accumulators, tile);
      }
    };
  }

  /** D's extent. */
  public I32 extent(int mode) {
    return d.extent(mode);
  }

  /** Prefetches D's tensor map, if copies store it, ahead of the first copy; one thread calls it. */
  public void prefetchMap() {
    d.prefetchMap();
  }

  /** Begins to copy what a warpgroup's rows of a tile are made of, while they are multiplied. */
  private void begin(I32 lane, I32 group, WorkTile tile) {
    copied.ifPresent(source -> k.when(lane.equalTo(0), () -> {
      BulkCopy.waitForReads(k, 0);
      for (int turn = 0; turn < blocks.used(); turn++) {
        begin(source, group, turn, tile);
      }
    }));
  }

  private void begin(StagedSource source, I32 group, int turn, WorkTile tile) {
    int across = blocks.across();
    source.begin(group, turn % blocks.stages(), tile.m().plus(blocks.mma().row(group, turn / across)),
        tile.n().plus(turn % across * blocks.columns()), tile.batch());
  }

  /**
   * Stores a warpgroup's rows of a tile.
   *
   * @param lane the thread's number in its warpgroup
   */
  private void store(I32 lane, I32 group, Fragment sums, WorkTile tile) {
    var mma = blocks.mma();
    int stages = blocks.stages();
    int perBlock = sums.groups().size() / mma.blocks();
    int across = blocks.across();
    // Single elements take too many addresses to be read ahead, and two blocks' sums leave no room for two turns.
    boolean ahead = neighbours == 2 && mma.blocks() == 1;
    for (int block = 0; block < mma.blocks(); block++) {
      var part = new Block(lane, group, new Fragment(sums.groups().subList(block * perBlock,
          (block + 1) * perBlock)), tile.m().plus(mma.row(group, block)), tile);
      if (ahead) part.prefetch(0);
      for (int turn = 0; turn < across; turn++) {
        int current = block * across + turn;
        if (copies && copied.isEmpty()) {
          k.when(lane.equalTo(0), () -> BulkCopy.waitForReads(k, blocks.pending(current)));
        }
        int next = ahead ? turn + 1 : turn;
        if (neighbours == 2 && next < across) part.prefetch(next);
        part.stage = group.times(stages).plus(current % stages);
        copied.ifPresent(source -> {
          if (current > 0 && current - 1 + stages < blocks.turns()) {
            k.when(lane.equalTo(0), () -> {
              BulkCopy.waitForReads(k, 0);
              begin(source, group, current - 1 + stages, tile);
            });
          }
          source.await(group, current % stages);
          part.takeCopied(current % across);
        });
        part.store(turn);
      }
      part.tile.finish();
    }
  }

  /** 64 rows of a tile. */
  private final class Block {
    private final I32 lane;
    private final I32 group;
    private final Fragment sums;
    private final I32 row;
    private final WorkTile work;
    private final int values;
    private final EpilogueTrace.Tile tile;
    private I32 stage;

    Block(I32 lane, I32 group, Fragment sums, I32 row, WorkTile work) {
      this.lane = lane;
      this.group = group;
      this.sums = blocks.mma().inTypeOf(k, sums, d.type());
      this.row = row;
      this.work = work;
      this.values = blocks.values();
      var partition = blocks.rows();
      var place = new EpilogueTrace.Place(row, work.n(), work.batch(), work.group(), extent(0), extent(1));
      this.tile = trace.tile(partition, lane, place, new Matrices(direct(partition, place)));
    }

    private MatrixAccess direct(Partition partition, EpilogueTrace.Place place) {
      var rows = sources.before(work.end());
      return neighbours == PAIR || sources.isEmpty() ? rows.at(partition, lane, place)
          : rows.climbing(WgmmaAtom.LEAF, PAIR).at(partition, lane.settled(), place.settled());
    }

    /** Reads what a turn needs of global memory. */
    void prefetch(int turn) {
      if (copied.isPresent()) tile.prefetchVectors(turn * values, values);
      else tile.prefetch(turn * values, values);
    }

    /** Reads what has been copied for a turn, before D takes its place. */
    void takeCopied(int turn) {
      tile.prefetchSources(turn * values, values);
    }

    /** Makes so many columns of D, and has them copied. */
    void store(int turn) {
      int first = turn * values;
      meet();
      if (tile.isQuantized()) {
        storeCodes(first);
      } else {
        storeEach(first);
      }
      tile.finishColumns();
      if (copies) BulkCopy.publish(k);
      meet();
      if (work.end().isPresent()) {
        storeBefore(work.end().get(), turn);
      } else if (copies) {
        copy(turn);
      } else {
        leave(turn);
      }
    }

    private void storeEach(int first) {
      for (int value = first; value < first + values; value += PAIR) {
        if (d.type() == ElementType.I32) {
          d.putIntegers(lane, stage, value - first, sums.group(value / 4).subList(value % 4, value % 4 + PAIR));
        } else {
          d.put(lane, stage, value - first, tile.ofProducts(value, accumulators(value)));
        }
      }
    }

    /** A code depends on all values of its row. */
    private void storeCodes(int first) {
      var all = new ArrayList<F32>();
      for (int value = first; value < first + values; value += PAIR) {
        all.addAll(tile.ofProducts(value, accumulators(value)));
      }
      all.forEach(F32::register);
      var codes = tile.codes(first, all);
      for (int i = 0; i < values; i += PAIR) d.put(lane, stage, i, codes.subList(i, i + PAIR));
    }

    /** Two neighbours of each product: its columns are a run of the fragment. */
    private List<List<F32>> accumulators(int value) {
      int each = sums.values() / blocks.products();
      return IntStream.range(0, blocks.products())
          .mapToObj(product -> sums.accumulators(k, product * each + value)).toList();
    }

    private void copy(int turn) {
      k.when(lane.equalTo(0), () -> {
        leave(turn);
        BulkCopy.commit(k);
      });
    }

    private void storeBefore(I32 last, int turn) {
      var from = work.n().plus(turn * blocks.columns());
      Runnable byThreads = () -> d.storeByThreads(lane, stage, row, from, work.batch(), last);
      if (!copies) {
        byThreads.run();
        return;
      }
      // Later turns count copies: one of nothing takes the place of what threads store.
      k.when(row.plus(WgmmaAtom.M).lessThan(last.plus(1)), () -> copy(turn), () -> {
        byThreads.run();
        k.when(lane.equalTo(0), () -> BulkCopy.commit(k));
      });
    }

    private void leave(int turn) {
      var from = work.n().plus(turn * blocks.columns());
      d.store(lane, stage, row, from, work.batch());
      auxiliary.values().forEach(output -> output.store(lane, stage, row, from, work.batch()));
    }

    private void meet() {
      k.barrier(group.plus(1), Warpgroup.SIZE);
    }

    /** Sources come from global memory or are in the stage already, auxiliary outputs have stages of their own. */
    private final class Matrices implements MatrixAccess {
      private final MatrixAccess direct;

      Matrices(MatrixAccess direct) {
        this.direct = direct;
      }

      @Override
      public List<F32> load(Epilogue.Source source, int value, int count) {
        return copied.isPresent() ? copied.get().read(lane, stage, value % values, count)
            : direct.load(source, value, count);
      }

      @Override
      public void store(Epilogue.Stored stored, int value, List<F32> elements) {
        auxiliary.get(stored.name()).put(lane, stage, value % values, elements);
      }
    }
  }

  /** Before the end: waits until every stage has been read. */
  public void drain(Pred leader) {
    if (copies) k.when(leader, () -> BulkCopy.waitForReads(k, 0));
  }
}
