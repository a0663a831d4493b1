package tilewright.verification.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** All golden vectors: what CuTe C++, pycute, tract and the traits of real instructions answer. */
class GoldenVectorsTest {
  /** Records of each operation, as their makers counted them. */
  private static final String COUNTS = """
      coalesce 800, coalesce_profile 500, complement 700, composed 450, composition 1000, composition_tiler 600,
      crd2crd 300, crd2idx 800, filter 500, filter_profile 300, flat_divide 438, flat_product 317, get_mode 200,
      idx2crd 800, int_elem_scale 200, int_flatten 120, int_inner_product 300, int_prefix_product 300,
      int_product 120, int_shape_div 400, int_tuple_max 100, layout_ctor 200, layout_eval 600, layout_slice 500,
      left_inverse 600, logical_divide 700, logical_divide_tiler 450, logical_product 600,
      logical_product_tiler 350, make_layout 200, right_inverse 600, size_cosize_rank 400, slice_ 400, swizzle 200,
      tiled_divide 650, tiled_product 350, zipped_divide 650, zipped_product 350, blocked_product 100,
      ceil_div 100, ceil_div_layout 100, coalesce_x 100, colex_less 66, compatible 66, composition_basis 100,
      composition_identity 100, composition_layout_swizzle 50, composition_swizzle_swizzle 50, congruent 66,
      cosize 100, dice 66, domain_distribute 100, downcast 100, downcast_swizzle 50, elem_leq 66, elem_less 66,
      evenly_divides 66, filter_zeros 66, lex_less 66, make_fragment_like 100, make_identity_layout 50,
      make_layout_like 100, make_ordered_layout 100, max_alignment 100, max_common_layout 100,
      max_common_vector 100, nullspace 100, raked_product 100, round_up 100, surgery 200, swizzle_slice 100,
      tile_to_shape 100, upcast 100, upcast_swizzle 50, weakly_congruent 66, x_coalesce 124, x_complement 237,
      x_composition 343, x_composition_tiler 109, x_filter 108, x_flat_divide 111, x_flat_product 105,
      x_idx2crd 112, x_int_shape_div 115, x_layout_ctor 106, x_layout_slice 107, x_left_inverse 226,
      x_logical_divide 219, x_logical_divide_tiler 112, x_logical_product 216, x_logical_product_tiler 105,
      x_right_inverse 126, x_tiled_divide 112, x_tiled_product 105, x_zipped_divide 112, x_zipped_product 105,
      tract_coalesce 320, tract_complement 320, tract_compose 320, tract_layout 320, tract_logical_divide 320,
      tract_logical_product 320, tract_mutual_refinement 320, tract_pullback 320, tract_pushforward 320,
      tract_refines 320, tract_standard_form 320, tract_weak_composite 320, hw_copy 112, hw_mma 121, hw_sf 3,
      hw_smem 65, hw_tmem 102
      """;

  private static final GoldenReport REPORT = GoldenVectors.judge(vectors());

  @Test
  void everyRecordAgreesOrIsRightlyRefused() {
    var mismatches = REPORT.mismatches();
    assertEquals("", mismatches.stream().limit(20).map(JudgedRecord::toString).collect(Collectors.joining("\n")),
        () -> mismatches.size() + " mismatches");
  }

  @Test
  void noRecordIsLeftOut() {
    Map<String, Long> counted = REPORT.operations().stream()
        .collect(Collectors.toMap(OperationCount::operation, OperationCount::records));
    assertEquals(new TreeMap<>(expected()), new TreeMap<>(counted));
    assertEquals(27_513, REPORT.records().size());
    assertEquals(27_513, REPORT.records().stream().map(JudgedRecord::id).distinct().count());
  }

  private static Map<String, Long> expected() {
    return Arrays.stream(COUNTS.strip().split(",\\s*")).map(entry -> entry.split(" "))
        .collect(Collectors.toMap(entry -> entry[0], entry -> Long.parseLong(entry[1])));
  }

  private static Path vectors() {
    try {
      return Path.of(GoldenVectorsTest.class.getResource("/golden").toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
