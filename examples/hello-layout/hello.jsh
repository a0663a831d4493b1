import tilewright.layout.*
import tilewright.layout.draw.Pictures
import java.util.stream.LongStream

// A row-major matrix of 4 by 8: one step down moves 8 elements in memory, one step to the right 1.
var rows = Layout.parse("(4,8):(8,1)")
IO.println(Pictures.offsets(rows).toText())

// In tiles of 2 by 4: the first mode is the place within a tile, the second the tile.
var tiles = rows.zippedDivide(Tiler.parse("[2;4]"))
IO.println("in tiles: " + tiles)
IO.println("the tile below the first, " + tiles.mode(0) + ", begins at " + tiles.mode(1).apply(1))

// Shared memory has 32 banks of 4 bytes. A column of this tile of floats is in one bank, so lanes that read it take turns;
// one more element per row moves its elements apart.
for (var tile : List.of("(32,32):(32,1)", "(32,32):(33,1)")) {
  var column = Layout.parse(tile).mode(0);
  IO.println("banks of a column of " + tile + ": " + LongStream.of(column.offsets()).map(o -> o % 32).distinct().count());
}

// Not every operation has a result. One that has none says which coordinate would be wrong.
try {
  Layout.parse("(4,6):(6,1)").composition(Layout.parse("8:3"));
} catch (IllegalArgumentException e) {
  IO.println(e.getMessage());
}

/exit
