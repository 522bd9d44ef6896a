"""Build the binary files of examples/shop: the handbook (PDF) and the security policy (DOCX).

Run it after a change here: `python scripts/build_examples.py`. The same input gives the same bytes.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from docx import Document
from docx.shared import RGBColor
from fpdf import FPDF
from fpdf.enums import TableBordersLayout, XPos, YPos
from fpdf.fonts import FontFace

SHOP = Path(__file__).parent.parent / "examples" / "shop"
WRITTEN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
AUTHOR = "Harbour & Pine"
PINE = (30, 77, 58)
MIST = (233, 240, 236)
INK = (34, 34, 34)


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 1


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Bullets:
    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    rows: tuple[tuple[str, ...], ...]
    widths: tuple[int, ...]


class PageBreak:
    pass


Part = Heading | Text | Bullets | Table | PageBreak

HANDBOOK: Sequence[Part] = (
    Heading("1 Welcome aboard"),
    Text(
        "Harbour & Pine began in 2014 in a boathouse in Port Ellery, with forty pairs of boots, one kettle and a "
        "web page that crashed on its first day. Today we are 64 people. We sell tents, boots, jackets and "
        "everything else that has to survive rain, and we repair it when it does not."
    ),
    Text(
        "This handbook tells you how we work. It is short on purpose. Where it is silent, do what you would want a "
        "friend to do in your place, and tell somebody."
    ),
    Heading("1.1 Three promises", 2),
    Bullets(
        (
            "We say what we know about a product, including what is wrong with it.",
            "We mend before we replace, and replace before we refund.",
            "We answer every customer within one working day.",
        )
    ),
    Heading("1.2 Who does what", 2),
    Text(
        "Five teams build and run the shop: Lantern (what customers see), Anchor (baskets and orders), Tidewater "
        "(money), Packhorse (the warehouse) and Gatehouse (accounts and messages). Customer care, finance and the "
        "repair workshop keep us honest. Maja Holm leads engineering, Marta Silva leads customer care, and Oskar "
        "Lund looks after the books."
    ),
    PageBreak(),
    Heading("2 Working here"),
    Heading("2.1 Hours and holidays", 2),
    Text(
        "A full week has 37 hours. Between ten and three we try to be reachable; the rest is yours to arrange. You "
        "have 30 days of holiday a year, and one more day for each five years with us. Ask your team lead two weeks "
        "ahead for anything longer than three days. Holidays left over on 31 December move to the next year and are "
        "gone after 31 March."
    ),
    Heading("2.2 On-call duty", 2),
    Text(
        "Engineers take turns being on call, for a quarter at a time. Being on call is paid: EUR 220 for each week, "
        "and time off for every hour that is spent on an incident between ten in the evening and six in the "
        "morning. Nobody is on call for more than two quarters in a year, and nobody in their first six months."
    ),
    Heading("2.3 Trying things out", 2),
    Text(
        "You may borrow any product from the sample room for up to two weeks, and you should. Write three honest "
        "lines about it in the sample book. Buying for yourself costs 35 per cent less than in the shop."
    ),
    Heading("2.4 Expenses", 2),
    Text(
        "Spend the company's money as if it were your own. Up to EUR 150 you need nobody's permission. Above that, "
        "ask your team lead first. Hand in receipts by the fifth of the following month. Trains, not planes, "
        "wherever a train gets you there in under eight hours."
    ),
    PageBreak(),
    Heading("3 The warehouse day"),
    Text(
        "The warehouse in Skerry Lane opens at six. Vans are loaded twice a day. An order that is placed before the "
        "cut-off time leaves on the same day; later orders leave on the next working day."
    ),
    Heading("3.1 Cut-off times", 2),
    Table(
        (
            ("Service", "Carrier", "Order before", "Arrives", "Price"),
            ("Standard", "Fjordpost", "14:00", "2 to 4 working days", "EUR 4.90"),
            ("Express", "Swiftline", "12:00", "next working day", "EUR 9.90"),
            ("Heavy, above 25 kg", "Fjordpost", "11:00", "3 to 6 working days", "EUR 19.00"),
            ("Collect in Skerry Lane", "none", "18:00", "after two hours", "free"),
        ),
        (34, 22, 24, 36, 20),
    ),
    Text(
        "Standard delivery is free for orders of EUR 60 and more. On Saturdays only Collect is open, from nine to one."
    ),
    Heading("3.2 Packing", 2),
    Bullets(
        (
            "Use the smallest box that fits. We pay for air.",
            "Gas cartridges travel alone, in the red boxes, and never by Swiftline.",
            "A handwritten card goes into every order above EUR 200. Yes, handwritten.",
        )
    ),
    Heading("3.3 When something is missing", 2),
    Text(
        "If the shelf is empty although the screen says otherwise, mark the item as short and tell the shift lead. "
        "Customer care calls the customer on the same day and offers a choice: wait, take something similar, or "
        "have the money back."
    ),
    PageBreak(),
    Heading("4 Talking to customers"),
    Heading("4.1 Tone", 2),
    Text(
        "Write the way you would speak across the counter. Use the customer's name, say what happens next and when, "
        "and sign with yours. Never write 'unfortunately' twice in one message."
    ),
    Heading("4.2 Goodwill", 2),
    Text(
        "Every colleague in customer care may give a voucher of up to EUR 25 without asking. Between EUR 25 and EUR "
        "100 ask a customer care lead. Vouchers are for the trouble we caused; they do not replace a refund."
    ),
    Heading("4.3 Difficult calls", 2),
    Text(
        "You may end a call with someone who insults you. Say that you will, do it, and make a note. Nobody will "
        "ask you to apologise for it."
    ),
    Heading("5 Leaving things better"),
    Text(
        "One per cent of our turnover goes to the people who look after paths, shelters and beaches. Each of us has "
        "two paid days a year to go and help them. The list of places is on the board by the kettle."
    ),
)

POLICY: Sequence[Part] = (
    Heading("Information security policy", 0),
    Text(
        "This policy is for everyone who works at Harbour & Pine. It is owned by Bela Ferenc, our security officer, "
        "and is read again every January. It says what we protect, how, and what to do when something goes wrong."
    ),
    Heading("What we protect"),
    Text("We sort information into three classes. If you are not sure, take the higher one."),
    Table(
        (
            ("Class", "Examples", "Where it may be kept"),
            ("Open", "product pages, this shop's opening hours", "anywhere"),
            ("Internal", "runbooks, price negotiations, the on-call rota", "company systems only"),
            ("Secret", "customer data, keys and passwords, salaries", "the system made for it, and nowhere else"),
        ),
        (20, 50, 40),
    ),
    Heading("Cards and payments"),
    Text(
        "Card numbers never reach our systems. Customers type them into a form that belongs to Northpay, and we "
        "receive a token. Anyone who is sent a card number by e-mail or phone deletes the message and tells the "
        "customer why."
    ),
    Heading("Accounts and keys"),
    Bullets(
        (
            "Everyone signs in through identity, with a passkey. Shared accounts do not exist.",
            "Services have accounts of their own. A service may do what it needs and nothing else; only payments, "
            "for example, may write to the ledger.",
            "Keys and passwords of services are changed every 90 days, by machine.",
            "Team leads review who has access to what once a quarter. The review starts on the first day of the "
            "quarter and takes at most two weeks.",
        )
    ),
    Heading("How long we keep things"),
    Table(
        (
            ("What", "How long", "Why"),
            ("Orders and ledger entries", "10 years", "tax law"),
            ("Letters and e-mails with customers", "2 years", "warranty"),
            ("Application logs", "30 days", "finding faults"),
            ("Audit logs", "400 days", "a full year, and time to look back"),
            ("Accounts without a purchase", "3 years, then deleted", "we have no reason to keep them"),
        ),
        (44, 30, 36),
    ),
    Text("A customer who asks to be forgotten is forgotten within 30 days, except for what tax law makes us keep."),
    Heading("Computers and phones"),
    Text(
        "Disks are encrypted, screens lock after five minutes, updates are installed within a week. A lost or "
        "stolen device is reported at once, at any hour; we would rather be woken up."
    ),
    Heading("When something goes wrong"),
    Heading("Tell us", 2),
    Text(
        "Write to security@harbourpine.example or call Bela Ferenc. Nobody is blamed for a report, even if it was "
        "their own click that caused the trouble."
    ),
    Heading("What happens then", 2),
    Text(
        "Bela decides within four hours whether customer data is affected. If it is, we inform the data protection "
        "authority within 72 hours, and the customers concerned as soon as we can tell them something useful."
    ),
)


class Handbook(FPDF):
    def footer(self) -> None:
        self.set_y(-18)
        self.set_font("helvetica", size=9)
        self.set_text_color(*PINE)
        self.cell(0, 8, f"Harbour & Pine handbook   {self.page_no()}", align="C")


def build_pdf(parts: Sequence[Part]) -> bytes:
    pdf = Handbook(format="A4")
    pdf.set_creation_date(WRITTEN)
    pdf.set_title("The Harbour & Pine handbook")
    pdf.set_author(AUTHOR)
    pdf.set_lang("en")
    pdf.set_margins(25, 24, 25)
    pdf.set_auto_page_break(True, margin=24)
    pdf.add_page()
    _title_band(pdf)
    for part in parts:
        _draw(pdf, part)
    return bytes(pdf.output())


def _title_band(pdf: FPDF) -> None:
    pdf.set_fill_color(*PINE)
    pdf.rect(0, 0, pdf.w, 62, style="F")
    pdf.set_text_color(255, 255, 255)
    pdf.set_xy(25, 22)
    pdf.set_font("helvetica", style="B", size=28)
    pdf.cell(0, 12, "The Harbour & Pine handbook", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
    pdf.set_font("helvetica", size=12)
    pdf.cell(0, 9, "For new colleagues, and for everyone who forgot   March 2026")
    pdf.set_fill_color(255, 255, 255)
    pdf.set_y(74)


def _draw(pdf: FPDF, part: Part) -> None:
    match part:
        case PageBreak():
            pdf.add_page()
        case Heading(text, level):
            pdf.ln(3)
            pdf.start_section(text, level - 1)
            pdf.set_text_color(*PINE)
            pdf.set_font("helvetica", style="B", size=21 if level == 1 else 15)
            pdf.multi_cell(0, 11 if level == 1 else 9, text, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
            pdf.ln(1)
        case Text(text):
            _body(pdf)
            pdf.multi_cell(0, 7.2, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
            pdf.ln(3)
        case Bullets(items):
            _body(pdf)
            for item in items:
                pdf.set_x(pdf.l_margin + 3)
                pdf.cell(5, 7.2, "\u00b7")
                pdf.multi_cell(0, 7.2, item, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
            pdf.ln(3)
        case Table(rows, widths):
            _body(pdf)
            pdf.set_font("helvetica", size=10.5)
            pdf.set_draw_color(*PINE)
            head = FontFace(emphasis="BOLD", color=PINE, fill_color=MIST)
            with pdf.table(
                borders_layout=TableBordersLayout.ALL,
                col_widths=widths,
                headings_style=head,
                line_height=8,
                padding=(0.5, 1.5),
                text_align="LEFT",
            ) as table:
                for row in rows:
                    table.row(row)
            pdf.ln(4)


def _body(pdf: FPDF) -> None:
    pdf.set_text_color(*INK)
    pdf.set_font("helvetica", size=12.5)


def build_docx(parts: Sequence[Part]) -> bytes:
    document = Document()
    about = document.core_properties
    about.title, about.author, about.last_modified_by = "Information security policy", AUTHOR, AUTHOR
    about.created = about.modified = WRITTEN.replace(tzinfo=None)
    about.comments, about.revision = "", 1
    for part in parts:
        match part:
            case PageBreak():
                document.add_page_break()
            case Heading(text, level):
                for run in document.add_heading(text, level).runs:
                    run.font.color.rgb = RGBColor(*PINE)
            case Text(text):
                document.add_paragraph(text)
            case Bullets(items):
                for item in items:
                    document.add_paragraph(item, style="List Bullet")
            case Table(rows, _):
                table = document.add_table(rows=0, cols=len(rows[0]), style="Light Grid Accent 3")
                for row in rows:
                    for cell, text in zip(table.add_row().cells, row, strict=True):
                        cell.text = text
                document.add_paragraph()
    buffer = io.BytesIO()
    document.save(buffer)
    return _without_clock(buffer.getvalue())


def _without_clock(archive: bytes) -> bytes:
    """The same archive, with one date on all its members: a ZIP notes when each was written."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as source, zipfile.ZipFile(buffer, "w") as target:
        for name in source.namelist():
            member = zipfile.ZipInfo(name, WRITTEN.timetuple()[:6])
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 3
            target.writestr(member, source.read(name))
    return buffer.getvalue()


def main() -> None:
    for name, content in {"handbook.pdf": build_pdf(HANDBOOK), "security-policy.docx": build_docx(POLICY)}.items():
        (SHOP / name).write_bytes(content)
        print(f"{name}: {len(content):,} bytes")


if __name__ == "__main__":
    main()
