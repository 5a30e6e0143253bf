import { commonVariables, contacts, contactVariables, worded } from "./MailDeclaration.ts"
import type { MailDeclaration } from "./MailDeclaration.ts"

const code = "`{{ code }}`"

const vendor = "{{ vendor }}"

const { customer_name, product } = commonVariables

/** The mail to a person who was invited to use a license. */
export const userInvited: MailDeclaration = {
  isNotice: true,
  variables: { ...contactVariables, vendor: commonVariables.vendor, product, customer_name },
  texts: {
    en: worded(
      "You can use {{ product }}",
      "Hello,",
      "{% if customer_name %}“{{ customer_name }}” has{% else %}You were{% endif %} invited {% if customer_name %}you {% endif %}to use **{{ product }}**.",
      "Open the app, enter the license key of your company, and sign in with this email address. With the first sign-in you take a seat.",
      contacts.en,
      vendor
    ),
    de: worded(
      "Sie können {{ product }} nutzen",
      "Guten Tag,",
      "{% if customer_name %}„{{ customer_name }}“ hat Sie{% else %}Sie wurden{% endif %} eingeladen, **{{ product }}** zu nutzen.",
      "Öffnen Sie die Anwendung, geben Sie den Lizenzschlüssel Ihres Unternehmens ein und melden Sie sich mit dieser E-Mail-Adresse an. " +
        "Mit der ersten Anmeldung belegen Sie einen Platz.",
      contacts.de,
      vendor
    ),
    fr: worded(
      "Vous pouvez utiliser {{ product }}",
      "Bonjour,",
      "{% if customer_name %}«\u00a0{{ customer_name }}\u00a0» vous invite{% else %}Vous êtes invité{% endif %} à utiliser **{{ product }}**.",
      "Ouvrez l’application, saisissez la clé de licence de votre entreprise et connectez-vous avec cette adresse électronique. " +
        "La première connexion vous attribue une place.",
      contacts.fr,
      vendor
    ),
    es: worded(
      "Puede usar {{ product }}",
      "Hola:",
      "{% if customer_name %}«{{ customer_name }}» le invita{% else %}Tiene una invitación{% endif %} a usar **{{ product }}**.",
      "Abra la aplicación, introduzca la clave de licencia de su empresa e inicie sesión con esta dirección de correo. " +
        "Con el primer inicio de sesión ocupa una plaza.",
      contacts.es,
      vendor
    ),
    ja: worded(
      "{{ product }} へのご招待",
      "ご利用者様",
      "{% if customer_name %}「{{ customer_name }}」より、{% endif %}**{{ product }}** の利用に招待されました。",
      "アプリを開いて会社のライセンスキーを入力し、このメールアドレスでサインインしてください。最初のサインインで席が割り当てられます。",
      contacts.ja,
      vendor
    )
  }
}

/** The mail with the code and the link by which a person signs in to an app. */
export const userSignIn: MailDeclaration = {
  isNotice: false,
  variables: {
    ...contactVariables,
    vendor: commonVariables.vendor,
    product,
    code: { type: "text", about: "The code to be typed in the app, within 15 minutes.", sample: "7K3P-9WQX" },
    reference: {
      type: "text",
      about: "Four characters that the app shows, too, if the mail is about this sign-in.",
      sample: "7K3P"
    },
    link: {
      type: "text",
      about: "The address of the page with the button that confirms the sign-in. None in the test environment.",
      sample: "https://licenses.example.com/user-sign-in?token=cml_sample",
      isOptional: true
    }
  },
  texts: {
    en: worded(
      "Your code for {{ product }}",
      "Hello,",
      "Enter this code in **{{ product }}**. It works within 15 minutes, and only if the app shows **{{ reference }}**:",
      code,
      "{% if link %}Or confirm the sign-in here:{% endif %}",
      "{% if link %}[Confirm]({{ link }}){% endif %}",
      "You are not signing in at this moment? Then ignore this email. Do not share the code: the vendor never asks for it.",
      contacts.en,
      vendor
    ),
    de: worded(
      "Ihr Code für {{ product }}",
      "Guten Tag,",
      "geben Sie diesen Code in **{{ product }}** ein. Er gilt innerhalb von 15 Minuten, und nur, wenn die Anwendung **{{ reference }}** anzeigt:",
      code,
      "{% if link %}Oder bestätigen Sie die Anmeldung hier:{% endif %}",
      "{% if link %}[Bestätigen]({{ link }}){% endif %}",
      "Sie melden sich gerade nicht an? Dann beachten Sie diese Nachricht nicht. Nennen Sie den Code niemandem: Wer danach fragt, will Ihren Platz.",
      contacts.de,
      vendor
    ),
    fr: worded(
      "Votre code pour {{ product }}",
      "Bonjour,",
      "Saisissez ce code dans **{{ product }}**. Il est valable 15 minutes, et seulement si l’application affiche **{{ reference }}**\u00a0:",
      code,
      "{% if link %}Ou confirmez la connexion ici\u00a0:{% endif %}",
      "{% if link %}[Confirmer]({{ link }}){% endif %}",
      "Vous n’êtes pas en train de vous connecter\u00a0? Ignorez ce message. Ne communiquez le code à personne\u00a0: qui le demande veut votre place.",
      contacts.fr,
      vendor
    ),
    es: worded(
      "Su código para {{ product }}",
      "Hola:",
      "Introduzca este código en **{{ product }}**. Vale 15 minutos, y solo si la aplicación muestra **{{ reference }}**:",
      code,
      "{% if link %}O confirme aquí el inicio de sesión:{% endif %}",
      "{% if link %}[Confirmar]({{ link }}){% endif %}",
      "¿No está iniciando sesión ahora? Entonces ignore este correo. No dé el código a nadie: quien lo pide quiere su plaza.",
      contacts.es,
      vendor
    ),
    ja: worded(
      "{{ product }} のコード",
      "ご利用者様",
      "**{{ product }}** に次のコードを入力してください。15分以内に、アプリに **{{ reference }}** と表示されている場合のみ有効です。",
      code,
      "{% if link %}または、次のリンクからサインインを確認してください。{% endif %}",
      "{% if link %}[確認する]({{ link }}){% endif %}",
      "サインインの操作をしていない場合は、このメールを破棄してください。コードはだれにも教えないでください。",
      contacts.ja,
      vendor
    )
  }
}
