package tilewright.kernels.attention.appending;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernels.attention.AttentionSpecs;

/**
 * The place of a token's key in a cache. A position for which the cache has no room, and a number that is no page, stop
 * the launch: its results would be wrong.
 *
 * @param slot batch entry or page
 * @param row of the slot
 */
record CachePlace(I32 slot, I32 row) {

  /**
   * Finds the place.
   *
   * @param cache (slots, rows, heads, columns)
   * @param paged whether slots are pages, of which each entry has a table
   * @param exists whether the token has a position
   */
  static CachePlace of(Scope k, GlobalTensor cache, boolean paged, I32 entry, I32 position, Pred exists) {
    var row = position.max(0);
    if (!paged) {
      k.trap(exists.and(row.lessThan(cache.extent(1)).not()));
      return new CachePlace(entry, row);
    }
    var table = k.global(AttentionSpecs.pageTable());
    var place = row.dividedBy(cache.extent(1));
    var present = exists.and(place.lessThan(table.extent(0)));
    k.trap(exists.and(present.not()));
    var number = table.at(place, entry).vectorOrZeros(1, present).integers().getFirst();
    var page = number.max(0).min(cache.extent(0).plus(-1)).max(0);
    k.trap(number.equalTo(page).not());
    return new CachePlace(page, row.modulo(cache.extent(1)));
  }
}
