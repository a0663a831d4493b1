package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.Dialect;
import tilewright.layout.syntax.LayoutSyntaxException;

class ExpressionTest {

  @ParameterizedTest
  @ValueSource(strings = {"5", "(5)", "()", "(4,(2,2))", "4:1", "(4,(2,2)):(1,(4,8))", "(3,1):(-1,0)", "():()",
      "[4:1;_;[2:1;3:2]]", "Sw<3,4,3>", "Sw<3,4,3>o0o(8,64):(64,1)", "(4,_)", "_", "2@0@1", "1@0+2@1",
      "(4,8):(1@0,1@1)", "(4,8):(1@0,2)", "(8,8):(^1,^9)", "(2,2):(^0,^1)"})
  void valuesAreReadAndPrintedAlike(String text) {
    assertEquals(text, value(text));
    assertEquals(text, Expression.parse(text).toString());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (_4,_8):(_1,_4)                        | (4,8):(1,4)
      S<3,4,3> o 0 o (8,64):(64,1)           | Sw<3,4,3>o0o(8,64):(64,1)
      <4:1,8:2>                              | [4:1;8:2]
      [4;(2,_)]                              | [4:1;[2:1;_]]
      E<1,0>                                 | 1@0@1
      ((4:1))                                | 4:1
      (2, size((2,3))):(1, 2)                | (2,6):(1,2)
      """)
  void otherSpellingsOfCuteAreUnderstood(String text, String printed) {
    assertEquals(printed, value(text));
  }

  /** What people paste out of programs; the other side is what CuTe prints for it. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      Layout<Shape<_2,_4>,Stride<_4,_1>>                                       | (2,4):(4,1)
      Layout<Shape<_2,Shape<_2,_2>>,Stride<_4,Stride<_1,_2>>>{}                 | (2,(2,2)):(4,(1,2))
      cute::Layout<cute::Shape<cute::Int<2>, cute::_4>, cute::Stride<_4, C<1>>>{} | (2,4):(4,1)
      Layout<_8,_1>{}                                                          | 8:1
      Layout<Shape<_2,_4>>{}                                                   | (2,4):(1,2)
      Layout<Shape<_2,_4>, LayoutRight>{}                                      | (2,4):(4,1)
      make_layout(make_shape(2,4), make_stride(4,1))                           | (2,4):(4,1)
      make_layout(make_shape(Int<2>{}, _4{}))                                  | (2,4):(1,2)
      make_layout(make_shape(2, make_shape(2,3)), LayoutRight{})               | (2,(2,3)):(6,(3,1))
      make_layout(Shape<_8,_4>{}, GenRowMajor{})                               | (8,4):(4,1)
      make_layout(Shape<_8,_4>{}, GenColMajor{})                               | (8,4):(1,8)
      make_layout(make_layout(2, 4), make_layout(3))                           | (2,3):(4,1)
      Step<_1,_1>                                                              | (1,1)
      Step<_1, X, _1>{}                                                        | (1,_,1)
      make_coord(_, 2)                                                         | (_,2)
      make_coord(Underscore{}, _{}, 2)                                         | (_,_,2)
      Swizzle<2,0,3>{}                                                         | Sw<2,0,3>
      Swizzle<3,3,3>{}(100)                                                    | 108
      composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{})    | Sw<3,3,3>o0o(8,64):(64,1)
      ComposedLayout<Swizzle<3,4,3>, _0, Layout<Shape<_8,_64>,Stride<_64,_1>>> | Sw<3,4,3>o0o(8,64):(64,1)
      logical_divide(Layout<Shape<_8,_4>,Stride<_4,_1>>{}, make_tile(_4{}, Layout<_2,_2>{})) \
       | ((4,2),(2,2)):((4,16),(2,1))
      cute.make_layout((2,4), stride=(4,1))                                    | (2,4):(4,1)
      cute.make_layout(shape=(2,(2,2)), stride=(4,(1,2)))                      | (2,(2,2)):(4,(1,2))
      cute.make_layout((4,), stride=(2,))                                      | (4):(2)
      cute.make_layout((2,4),)                                                 | (2,4):(1,2)
      cute.make_ordered_layout((4,8), order=(1,0))                             | (4,8):(8,1)
      cute.make_swizzle(2,0,3)                                                 | Sw<2,0,3>
      cute.make_composed_layout(cute.make_swizzle(3,4,3), 0, cute.make_layout((8,64), stride=(64,1))) \
       | Sw<3,4,3>o0o(8,64):(64,1)
      cute.logical_divide(cute.make_layout(8, stride=1), tiler=cute.make_layout(4)) | (4,2):(1,4)
      cute.coalesce(cute.make_layout((2,(1,6)), stride=(1,(6,2))), target_profile=(1,1)) | (2,6):(1,2)
      cute.size((2,4), mode=[1])                                               | 4
      cute.select((2,3,4), mode=[2,0])                                         | (4,2)
      cute.slice_(cute.make_layout((2,4), stride=(4,1)), (None, 3))            | (2):(4)
      cute.recast_layout(8, 16, cute.make_layout((4,8), stride=(8,1)))         | (4,16):(16,1)
      cute.crd2idx((1,2), (2,4), stride=(1,2))                                 | 5
      cute.E(0)                                                                | 1@0
      """)
  void whatProgramsWriteIsUnderstood(String text, String printed) {
    assertEquals(printed, value(text));
  }

  /** Columns are those of the text that was pasted. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      Layout<Shape<_2,_4>,Stride<_4,_1>        | 34
      Layout<Shape<_2,_4>,Stride<_4,_1>>{      | 36
      Layout<Shape<_2,_4>,Stride<_4,_1>,_1>    | 1
      make_layout(make_shape(2,4), stride=     | 37
      cute.make_layout((2,4), order_by=(4,1))  | 25
      cute.make_layout(stride=(4,1))           | 18
      cute.make_swizzle(2,0)                   | 1
      cute.make_layout((2,4), stride=(4,?))    | 35
      Int<2,3>{}                               | 1
      std::make_layout(4)                      | 1
      """)
  void mistakesInThemAreShownWhereTheyAre(String text, int column) {
    var e = assertThrows(LayoutSyntaxException.class, () -> value(text));
    assertEquals(column, e.position() + 1, e.getMessage());
  }

  @Test
  void operationsOfTheDslThatAreUnknownAreNamed() {
    var e = assertThrows(ExpressionException.class, () -> value("cute.logical_divid(4, 2)"));
    assertEquals(0, e.position());
    assertTrue(e.getMessage().contains("did you mean logical_divide?"));
  }

  /** Values by definition: Σ digit · stride, the swizzle's x ⊕ ((x & Y) ≫ S), sums of basis elements, XORs. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (4,2):(1,10)(3)                        | 3
      (4,2):(1,10)(7)                        | 13
      (4,2):(1,10)(3,1)                      | 13
      (4,(2,2)):(1,(10,100))(3,(1,1))        | 113
      (4,(2,2)):(1,(10,100))((3,3))          | 113
      (4,8)(2,5)                             | 22
      Sw<2,0,2>(6)                           | 7
      (Sw<2,0,2> o 0 o (4,4):(4,1))(1,2)     | 7
      (Sw<2,0,2> o 4 o (4,4):(4,1))(0,2)     | 7
      (4,8):(1@0,1@1)(3,5)                   | 3@0+5@1
      (8,8):(^1,^9)(2,1)                     | 11
      ((4,2):(1,4) ∘ 2:4)(1)                 | 4
      size<1>((4,(2,3)):(1,(4,8)))           | 6
      size((4,(2,3)))                        | 24
      rank((4,(2,3)))                        | 2
      depth((4,(2,3)))                       | 2
      cosize((4,2):(1,10))                   | 14
      shape<1>((4,(2,3)):(1,(4,8)))          | (2,3)
      stride((4,(2,3)):(1,(4,8)))            | (1,(4,8))
      layout<1,0>((4,(2,3)):(1,(4,8)))       | 2:4
      get<1>((4,(2,3)))                      | (2,3)
      make_layout((4,2),(1,10))              | (4,2):(1,10)
      make_layout(4:1,(2,3):(4,8))           | (4,(2,3)):(1,(4,8))
      flatten((4,(2,3)):(1,(4,8)))           | (4,2,3):(1,4,8)
      congruent((4,(2,3)),(1,(1,1)))         | true
      congruent((4,(2,3)),(1,1))             | false
      compatible((4,6),(4,(2,3)))            | true
      compatible((4,(2,3)),(4,6))            | false
      """)
  void valuesAreThoseOfTheDefinitions(String text, String value) {
    assertEquals(value, value(text));
  }

  /** What pycute, CuTe C++ and CuTe's run-time engine agree on, recorded by running them. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      coalesce((2,(1,6)):(1,(6,2)))                                   | 12:1
      coalesce(((4,3),5):((15,1),3))                                  | (4,15):(15,1)
      coalesce((2,3,4):(0,0,1))                                       | (6,4):(0,1)
      coalesce((4,4):(-1,-4))                                         | 16:-1
      coalesce((2,(1,6)):(1,(6,2)), (1,1))                            | (2,6):(1,2)
      coalesce((4,2,8):(3,12,97))                                     | (8,8):(3,97)
      (6,2):(8,2) ∘ (4,3):(3,1)                                       | ((2,2),3):((24,2),8)
      20:2 ∘ (5,4):(4,1)                                              | (5,4):(8,2)
      (10,2):(16,4) o (5,4):(1,5)                                     | (5,(2,2)):(16,(80,4))
      composition((4,3):(3,1), (6,2):(2,1))                           | ((2,3),2):((6,1),3)
      composition((12,(4,8)):(59,(13,1)), <3:4,8:2>)                  | (3,(2,4)):(236,(26,1))
      composition((9,(4,8)):(59,(13,1)), [3:3;(2,4):(1,8)])           | (3,(2,4)):(177,(13,2))
      composition(((4,6),8):((1,4),24), ((2,3),4))                    | ((2,3),4):((1,4),24)
      complement(4:1, 24)                                             | 6:4
      complement(4:2, 24)                                             | (2,3):(1,8)
      complement((2,2):(1,6), 24)                                     | (3,2):(2,12)
      complement((2,4,8):(8,1,64), 1024)                              | (2,4,2):(4,16,512)
      complement((2,4,8):(32,0,2), 256)                               | (2,2,4):(1,16,64)
      complement(((2,2),(2,2)):((1,4),(8,32)))                        | (2,2):(2,16)
      right_inverse((4,8):(8,1))                                      | (8,4):(4,1)
      right_inverse((3,7,5):(5,15,1))                                 | (5,21):(21,1)
      right_inverse(4:2)                                              | 1:0
      left_inverse((4,8):(1,5))                                       | (5,8):(1,4)
      left_inverse((4,2):(1,16))                                      | (16,2):(1,4)
      logical_divide(24:1, 4:2)                                       | (4,(2,3)):(2,(1,8))
      logical_divide((4,2,3):(2,1,8), 4:2)                            | ((2,2),(2,3)):((4,1),(2,8))
      logical_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)        | ((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))
      zipped_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)         | ((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))
      tiled_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)          | ((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))
      flat_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)           | (3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))
      logical_product((2,2):(4,1), 6:1)                               | ((2,2),(2,3)):((4,1),(2,8))
      logical_product((2,2):(4,1), (4,2):(2,1))                       | ((2,2),(4,2)):((4,1),(8,2))
      logical_product(8:1, 4:0)                                       | (8,4):(1,0)
      blocked_product((2,5):(5,1), (3,4):(1,3))                       | ((2,3),(5,4)):((5,10),(1,30))
      raked_product((2,5):(5,1), (3,4):(1,3))                         | ((3,2),(4,5)):((10,5),(30,1))
      tile_to_shape((8,8):(8,1), (16,32))                             | ((8,2),(8,4)):((8,64),(1,128))
      tile_to_shape((8,8):(8,1), (16,32), (1,0))                      | ((8,2),(8,4)):((8,256),(1,64))
      tile_to_shape((8,64):(64,1), (16,128))                          | ((8,2),(64,2)):((64,512),(1,1024))
      max_common_layout((4,4):(1,4), ((2,2),4):((1,8),2))             | 2:1
      max_common_layout(((2,2),(2,2)):((8,2),(4,1)), ((2,2),(2,2)):((4,2),(8,1))) | (2,2):(8,2)
      max_common_vector((4,4):(1,4), ((2,2),4):((1,8),2))             | 2
      upcast<4>(6:1)                                                  | 2:1
      logical_product((2,5):(5,1), (3,4):(1,3))                       | ((2,5),(3,4)):((5,1),(10,30))
      logical_divide(10:1, 4)                                         | (4,3):(1,4)
      """)
  void operationsGiveWhatTheEnginesOfCuteAgreeOn(String text, String value) {
    assertEquals(value, value(text));
  }

  /** Products by mode, bounds that are shapes, integers as tilers, vectors, and layouts over bits, by hand. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      logical_product((2,3):(1,2), [2;2])            | ((2,2),(3,2)):((1,2),(2,1))
      zipped_product((2,3):(1,2), (2,2))             | ((2,3),(2,2)):((1,2),(2,1))
      tiled_product((2,3):(1,2), (2,2))              | ((2,3),2,2):((1,2),2,1)
      flat_product((2,3):(1,2), (2,2))               | (2,3,2,2):(1,2,2,1)
      complement(4:2, (6,4))                         | (2,3):(1,8)
      composition((4,8):(8,1), 8)                    | (4,2):(8,1)
      composition((4,8):(1@0,1@1), 8)                | (4,2):(1@0,1@1)
      coalesce_x((4,1):(1,0))                        | (4,1):(1,0)
      quasi_inverse((2,2):(1,1))                     | (2,2):(1,3)
      plus((2,2):(1,2), 4:10)                        | 4:11
      plus((2,3):(1,10), 6:1)                        | (2,3):(2,12)
      make_layout_tv((2,2):(1,2), 2:1)               | ((4,2),(4,2):(2,1))
      make_layout_tv((2,2):(2,1), 2:1)               | ((4,2),((2,2),2):((4,2),1))
      max_alignment((4,8):(1,4))                     | 32
      max_alignment((4,8):(1,6))                     | 2
      max_alignment(4:2)                             | 1
      swizzled_from_table(0,1,3,2)                   | Sw<1,0,1>o0o4:1
      xor_from_table(0,1,3,2)                        | (2,2):(^1,^3)
      to_swizzled((2,2):(^1,^3))                     | Sw<1,0,1>o0o(2,2):(1,2)
      bases((4,2):(^1,^8))                           | ((1,2),(8))
      bases(Sw<1,0,1>o0o(2,2):(1,2))                 | ((1),(3))
      get_swizzle_portion(Sw<1,0,1>o0o4:1)           | Sw<1,0,1>
      get_swizzle_portion(4:1)                       | Sw<0,0,0>
      get_nonswizzle_portion(Sw<1,0,1>o0o4:1)        | 4:1
      upcast<2>(Sw<2,1,2>o0o16:1)                    | Sw<2,0,2>o0o8:1
      downcast<2>(Sw<2,1,2>o0o16:1)                  | Sw<2,2,2>o0o32:1
      recast<16,8>(Sw<2,1,2>o0o16:1)                 | Sw<2,2,2>o0o32:1
      recast<8,16>(Sw<2,1,2>o0o16:1)                 | Sw<2,0,2>o0o8:1
      recast<8,8>(Sw<2,1,2>o2o16:1)                  | Sw<2,1,2>o2o16:1
      coalesce_z((2,1,6,1):(1,7,8,0))                | (2,6,1):(1,8,0)
      is_surjective((4,2):(1,4), 8)                  | true
      is_surjective((4,2):(1,4), 9)                  | false
      same_function((4,1):(1,0), (4,1):(1,4))        | true
      same_extended_function((4,1):(1,0), (4,1):(1,4)) | false
      same_extended_function((4,1):(1,4), 4:1)       | true
      max_common_vector(Sw<1,1,1>o0o8:1, 8:1)        | 4
      max_common_layout((2,2):(^1,^3), 4:1)          | 2:^1
      repeat_like((4,(2,3)), 7)                      | (7,(7,7))
      product_like((4,(2,3)), (1,1))                 | (4,6)
      """)
  void productsVectorsAndBitsFollowTheirDefinitions(String text, String value) {
    assertEquals(value, value(text));
  }

  /** Tuples and modes, worked by hand from the definitions. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      unflatten((4,2,3):(1,4,8), (1,(1,1)))          | (4,(2,3)):(1,(4,8))
      unflatten((4,2,3), (1,(1,1)))                  | (4,(2,3))
      group<0,2>((4,2,3):(1,4,8))                    | ((4,2),3):((1,4),8)
      group((4,2,3), 1, 3)                           | (4,(2,3))
      take<1,3>((4,2,3):(1,4,8))                     | (2,3):(4,8)
      select<2,0>((4,2,3):(1,4,8))                   | (3,4):(8,1)
      select<2,0>((4,2,3))                           | (3,4)
      append((4,2):(1,4), 3:8)                       | (4,2,3):(1,4,8)
      append<4>((4,2):(1,4), 1:0)                    | (4,2,1,1):(1,4,0,0)
      prepend((4,2), 3)                              | (3,4,2)
      replace<0>((4,2):(1,4), 3:8)                   | (3,2):(8,4)
      make_ordered_layout((4,2,3), (2,1,0))          | (4,2,3):(6,3,1)
      make_layout_like((4,2):(8,1))                  | (4,2):(2,1)
      make_fragment_like((4,2):(8,1))                | (4,2):(1,4)
      make_identity_layout((4,(2,3)))                | (4,(2,3)):(1@0,(1@0@1,1@1@1))
      compact_col_major((4,(2,3)))                   | (1,(4,8))
      compact_row_major((4,(2,3)))                   | (6,(3,1))
      compact_order((4,2,3), (2,1,0))                | (6,3,1)
      slice((_,(1,_)), (4,(2,3)))                    | (4,3)
      slice((_,(1,_)), (4,(2,3)):(1,(4,8)))          | (4,3):(1,8)
      (4,(2,3)):(1,(4,8))(_,(1,_))                   | (4,3):(1,8)
      dice((_,(1,_)), (4,(2,3)):(1,(4,8)))           | (2):(4)
      slice_and_offset((_,(1,_)), (4,(2,3)):(1,(4,8))) | ((4,3):(1,8),4)
      filter_zeros((4,2):(0,1))                      | (1,2):(0,1)
      nullspace((2,(3,4)):(0,(1,0)))                 | (2,4):(1,6)
      composition(Sw<1,0,1>, 4:1)                    | Sw<1,0,1>o0o4:1
      composition((8,4):(1@0,1@1), (2,2):(1,8))      | (2,2):(1@0,1@1)
      to_xor(Sw<1,0,1>o0o(2,2):(1,2))(1,1)           | 2
      to_layout((2,2):(^1,^2))                       | (2,2):(1,2)
      layout_from_table(0,4,1,5)                     | (2,2):(4,1)
      upcast<4>((4,8):(8,1))                         | (4,2):(2,1)
      upcast<2>(Sw<3,4,3>)                           | Sw<3,3,3>
      downcast<2>((4,8):(8,1))                       | (4,16):(16,1)
      recast<16,8>((4,8):(8,1))                      | (4,16):(16,1)
      domain_distribute((15,14), 6)                  | (3,2):(1,15)
      is_injective((2,3):(3,2))                      | true
      is_injective((2,2):(1,1))                      | false
      is_bijective((4,8):(8,1))                      | true
      is_compact((4,8):(1,5))                        | false
      same_function((2,2):(1,2), 4:1)                | true
      same_image((2,2):(2,1), 4:1)                   | true
      product((4,(2,3)))                             | 24
      sum((4,(2,3)))                                 | 9
      max((4,(2,3)))                                 | 4
      min((4,(2,3)))                                 | 2
      gcd((4,(2,6)))                                 | 2
      product_each((4,(2,3)))                        | (4,6)
      prefix_product((4,(2,3)))                      | (1,(4,8))
      suffix_product((4,(2,3)))                      | (6,(3,1))
      inner_product((4,(2,3)),(1,(10,100)))          | 324
      shape_div((4,5,6), 40)                         | (1,1,3)
      shape_div((4,6), 8)                            | (1,3)
      ceil_div((7,8), (2,3))                         | (4,3)
      round_up((7,8), (2,3))                         | (8,9)
      elem_scale((2,3), ((4,5),6))                   | (40,18)
      crd2idx((3,(1,2)), (4,(2,3)))                  | 23
      crd2idx((3,(1,2)), (4,(2,3)), (1,(10,100)))    | 213
      idx2crd(23, (4,(2,3)))                         | (3,(1,2))
      crd2crd((3,5), (4,6), (4,(2,3)))               | (3,(1,2))
      increment((3,(1,0)), (4,(2,3)))                | (0,(0,1))
      weakly_congruent((4,6), (4,(2,3)))             | true
      evenly_divides((4,6), 8)                       | true
      elem_less((1,2), (2,3))                        | true
      lex_less((1,9), (2,0))                         | true
      colex_less((1,9), (2,0))                       | false
      """)
  void tuplesAndModesFollowTheirDefinitions(String text, String value) {
    assertEquals(value, value(text));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      CUTE_CPP | (2):(8)     | ((4,1),(2,4)):((4,0),(16,1)) | (2,4):(2,8)
      CUTE_DSL | (2):(8)     | refused                      | (2,4):(2,8)
      PYCUTE   | (2,8):(8,1) | ((4,1),(2,4)):((4,0),(16,1)) | 1:0
      """)
  void dialectsDifferAsTheirImplementationsDo(String name, String shortTiler, String freeMode, String inverse) {
    var dialect = switch (name) {
      case "CUTE_DSL" -> Dialect.CUTE_DSL;
      case "PYCUTE" -> Dialect.PYCUTE;
      default -> Dialect.CUTE_CPP;
    };
    assertEquals(shortTiler, value("composition((4,8):(8,1), [2])", dialect));
    var swizzled = "Sw<0,0,0>o0o";
    assertEquals(swizzled + shortTiler, value("composition(" + swizzled + "(4,8):(8,1), [2])", dialect));
    var free = Expression.parse("zipped_divide((8,4):(4,1), [4;_])");
    if (freeMode.equals("refused")) {
      assertThrows(ExpressionException.class, () -> free.evaluate(dialect));
    } else {
      assertEquals(freeMode, free.evaluate(dialect).toString());
    }
    assertEquals(inverse, value("right_inverse(((2,2),(2,4)):((0,1),(0,2)))", dialect));
    assertEquals(name.equals("CUTE_DSL") ? "1:4" : "1:0", value("complement(4:1)", dialect));
    assertEquals(name.equals("PYCUTE") ? "(1,4,4)" : "(1,0,4)", value("compact_col_major((4,1,2))", dialect));
    assertEquals("(2,2):(2,16)", value("complement(((2,2),(2,2)):((1,4),(8,32)))", dialect));
  }

  @Test
  void aTupleOfIntegersTilesByModeAndALayoutTilesTheWhole() {
    assertEquals("((4,2),(2,2)):((4,1),(16,2))", value("zipped_divide((8,4):(4,1), (4,2))"));
    assertEquals("(8,4):(4,1)", value("zipped_divide((8,4):(4,1), 8:1)"));
  }

  private static String value(String text) {
    return value(text, Dialect.CUTE_CPP);
  }

  private static String value(String text, Dialect dialect) {
    return Expression.parse(text).evaluate(dialect).toString();
  }
}
