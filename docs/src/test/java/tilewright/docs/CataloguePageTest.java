package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.kernels.catalogue.Families;

class CataloguePageTest {
  @TempDir
  Path folder;

  @Test
  void everyFamilyHasItsSourceItsFormulaAndItsListing() throws IOException {
    CataloguePage.write(Path.of(".."), folder);
    var page = Files.readString(folder.resolve("catalogue.adoc"));
    for (var family : Families.all()) assertTrue(page.contains("|`" + family.name() + "` |"), family.name());
    assertTrue(page.contains("== Layer Norm\n"), page.substring(0, 500));
    assertTrue(page.contains("var variance = group.reduce(squares.value(), this::plus)"));
    assertTrue(page.contains("Sw<4,2,6>o0o(64,64):(64,1) of f32"), "the swizzled tile of transpose");
  }

  @Test
  void aKernelIsFoundInTheFileOfItsFamily() {
    assertEquals("Softmax", CataloguePage.source(Families.named("softmax").orElseThrow()));
    assertEquals("SimtGemm", CataloguePage.source(Families.named("sgemm").orElseThrow()));
    assertEquals("Total", CataloguePage.source(Families.named("dot").orElseThrow()));
  }

  @Test
  void commentsLoseTheirTags() throws IOException {
    var file = Files.writeString(folder.resolve("X.java"),
        "/**\n * Y = {@code X}, see\n * {@link Z}.\n *\n * @param a b\n */\nrecord X(int a) {}\n");
    assertEquals("Y = X, see Z.", CataloguePage.javadoc(file));
  }
}
