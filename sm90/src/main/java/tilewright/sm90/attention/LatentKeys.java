package tilewright.sm90.attention;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;

/** The keys of latent attention: blocks of them in shared memory, and how a warpgroup has these copied there. */
sealed interface LatentKeys {

  static LatentKeys of(Scope k, MlaConfig config) {
    if (config.gathers()) {
      var parts = config.partsOfColumns().stream().map(columns -> k.shared(config.type(), config.layoutOfK(columns)))
          .toList();
      return new Gathered(k, config, parts, k.global(config.rowsOfK()),
          ChosenTokens.of(k, config.pageRows().orElseThrow()));
    }
    var pages = config.pageRows().isPresent()
        ? Optional.of(PagedKeys.of(k, config.pageRows(), config.partOfBlock(), MlaConfig.KEYS / config.partOfBlock()))
        : Optional.<PagedKeys>empty();
    return new InBoxes(k, config, LatentTile.ofKeys(k, config), pages);
  }

  /** The parts of a block's columns, (key, column, stage). */
  List<SharedTensor> parts();

  /** The tokens of blocks, where some of them are none. */
  default Optional<ChosenTokens> tokens() {
    return Optional.empty();
  }

  /**
   * Has the blocks of all tiles of a CTA copied.
   *
   * @param lane number of the thread in the warpgroup
   */
  void copy(MlaQueries queries, List<MlaMainloop.Block> blocks, I32 lane, Consumer<Consumer<Supplier<Tile>>> tiles);

  /** Blocks that lie one after the other, or in pages: one thread has boxes of them copied. */
  record InBoxes(Scope k, MlaConfig config, LatentTile tile, Optional<PagedKeys> pages) implements LatentKeys {
    @Override
    public List<SharedTensor> parts() {
      return tile.shared();
    }

    @Override
    public void copy(MlaQueries queries, List<MlaMainloop.Block> blocks, I32 lane,
        Consumer<Consumer<Supplier<Tile>>> tiles) {
      k.when(lane.equalTo(0), () -> {
        var producer = new MlaProducer(k, config, pages, queries, tile, blocks);
        tiles.accept(of -> producer.copy(of.get()));
      });
    }
  }

  /** Rows that each query chooses, anywhere in the cache: all threads gather them. */
  record Gathered(Scope k, MlaConfig config, List<SharedTensor> parts, GlobalTensor rows, ChosenTokens chosen)
      implements LatentKeys {
    @Override
    public Optional<ChosenTokens> tokens() {
      return Optional.of(chosen);
    }

    @Override
    public void copy(MlaQueries queries, List<MlaMainloop.Block> blocks, I32 lane,
        Consumer<Consumer<Supplier<Tile>>> tiles) {
      var producer = new MlaGather(k, config, chosen, rows, queries, parts, blocks, lane);
      tiles.accept(of -> producer.copy(of.get()));
    }
  }
}
