/* Reading rows of corners, for the kernels that declare `bits` (tr_row, TR_TILE_ROWS a tile). */
#ifndef TR_SHADERS_MC_LOAD_GLSL
#define TR_SHADERS_MC_LOAD_GLSL

tr_row load_row(uint tile, uint y, uint z)
{
    return bits[tile * TR_TILE_ROWS + y * TR_TILE_CORNERS + z];
}

/* The edges that begin in row (y, z); at the tile's end none leave it. */
tr_row_edges load_edges(uint tile, uint y, uint z)
{
    tr_row row = load_row(tile, y, z);
    tr_row above = load_row(tile, y < TR_TILE_CELLS ? y + 1u : y, z);
    tr_row beyond = load_row(tile, y, z < TR_TILE_CELLS ? z + 1u : z);
    return tr_row_crossed(row, above, beyond);
}

#endif
