package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.kernel.Partition;
import tilewright.kernels.catalogue.Families;
import tilewright.layout.Layout;

class CataloguePageTest {
  @TempDir
  Path folder;

  @Test
  void everyFamilyHasItsSourceItsFormulaAndItsListing() throws IOException {
    CataloguePage.write(Path.of(".."), folder, folder);
    var page = Files.readString(folder.resolve("catalogue.adoc"));
    for (var family : Families.all()) assertTrue(page.contains("[`" + family.name() + "`] |"), family.name());
    assertTrue(page.contains("|xref:catalogue/layer-norm.adoc[`layer_norm`] |"), page);
    var kernels = kernels();
    assertTrue(kernels.contains("= Layer Norm\n"), kernels.substring(0, 500));
    assertTrue(kernels.contains("var biases = rows.columns("), "the source of layer norm");
    assertTrue(kernels.contains("Sw<3,2,7>o0o(64,128):(128,1) of f32"), "the swizzled tile of transpose");
  }

  @Test
  void everyKernelThatSharesATileAmongItsThreadsHasAPicture() throws IOException {
    CataloguePage.write(Path.of(".."), folder, folder);
    var page = kernels();
    for (var kernel : List.of("softmax", "elementwise", "matrixtranspose", "rope", "total", "embedding", "simtgemm")) {
      assertTrue(page.contains("image::catalogue-" + kernel + ".svg["), kernel);
      assertTrue(Files.readString(folder.resolve("catalogue-" + kernel + ".svg")).startsWith("<svg"), kernel);
    }
  }

  @Test
  void aMeasuredKernelHasAChartOfItsProblems() throws IOException {
    CataloguePage.write(Path.of(".."), folder, folder);
    var page = Files.readString(folder.resolve("catalogue/softmax.adoc"));
    assertTrue(page.contains("<figure class=\"chart\">") && page.contains("m=4096 n=65536 bf16: Tilewright"), page);
  }

  /** The pages of all kernels. */
  private String kernels() throws IOException {
    var pages = new StringBuilder();
    try (var files = Files.list(folder.resolve("catalogue"))) {
      for (var file : files.sorted().toList()) pages.append(Files.readString(file));
    }
    return pages.toString();
  }

  @Test
  void aPictureShowsWhoMovesWhat() {
    var stripes = PartitionPicture.of(Partition.runs(4, 2, 3)).toText();
    assertTrue(stripes.contains("first 3 of 3 rows, 8 of 8 columns"), stripes);
    var rows = PartitionPicture.of(Partition.exact(Layout.parse("((2,4),(4,2)):((16,1),(4,32))"), 4, 16)).toText();
    assertTrue(rows.contains("T2"), rows);
    assertTrue(rows.contains("V4-7"), rows);
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
