/* Walks an array of tokens given by address and length, as a kernel of a user's would. */
#include "lexpool.h"

uint64_t sum_idx(const TokenC *tokens, size_t length);
size_t count_spaces(const TokenC *tokens, size_t length);
void read_facts(const TokenC *token, int64_t out[6]);
void write_facts(TokenC *token, int spacy, int sent_start, int ent_iob);
int lexeme_flag(const LexemeC *lex, uint32_t attr);

uint64_t sum_idx(const TokenC *tokens, size_t length)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += tokens[i].idx;
    return sum;
}

size_t count_spaces(const TokenC *tokens, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += (size_t)lexpool_token_spacy(&tokens[i]);
    return count;
}

void read_facts(const TokenC *token, int64_t out[6])
{
    out[0] = lexpool_token_lex_index(token);
    out[1] = lexpool_token_in_zone(token);
    out[2] = lexpool_token_spacy(token);
    out[3] = lexpool_token_sent_start(token);
    out[4] = lexpool_token_ent_iob(token);
    out[5] = lexpool_token_norm_ix(token);
}

void write_facts(TokenC *token, int spacy, int sent_start, int ent_iob)
{
    lexpool_token_set_spacy(token, spacy);
    lexpool_token_set_sent_start(token, sent_start);
    lexpool_token_set_ent_iob(token, ent_iob);
}

int lexeme_flag(const LexemeC *lex, uint32_t attr)
{
    return lexpool_lexeme_flag(lex, attr);
}
